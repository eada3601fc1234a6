"""Reports: a release is summarised as plain data and rendered as HTML, JSON or text."""
