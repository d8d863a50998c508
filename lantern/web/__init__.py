"""The web page: sessions are watched, scrubbed, compared, forked and played by hand."""
