"""The commands, one module each; `step_commands` has those of the steps of a plan."""
