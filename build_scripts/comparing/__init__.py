"""What a change of data changes for readers: both sites as values, compared and put into words."""
