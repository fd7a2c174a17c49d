"""The figures: what each shows (`registry`), how it is drawn, and the files that come of it."""
