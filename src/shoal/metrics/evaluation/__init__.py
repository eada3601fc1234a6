"""What `assess`, `attack`, `utility` and `survey_risk` share: inputs, record order, results."""
