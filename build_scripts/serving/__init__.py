"""`make serve`: watches the project, builds again on each save, and shows faults on the pages."""
