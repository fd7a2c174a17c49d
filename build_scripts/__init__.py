"""From engine results to pages: everything that is computed or rendered at build time."""
