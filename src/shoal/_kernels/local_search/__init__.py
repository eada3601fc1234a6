"""Groups that change record by record, and the searches that change them."""
