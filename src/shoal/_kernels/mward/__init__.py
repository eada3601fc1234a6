"""The modified Ward method: extreme groups, joins of groups, and their preparation."""
