"""What several passes share; one idea per file, no pass of its own."""
