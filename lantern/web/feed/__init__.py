"""What the page is told of one session as it grows: folds over its record, shared by all viewers."""
