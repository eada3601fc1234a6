"""The modified Ward method: ends, joins and parts."""
