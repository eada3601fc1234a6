"""The commands, one module each; ``step_commands`` makes a command for each step of a plan."""
