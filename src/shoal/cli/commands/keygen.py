"""``shoal keygen``: create a key pair that signs manifests."""

import os
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.console.session import print_result, session
from shoal.cli.options.declarations import flag_option

Private = Annotated[
    Path, typer.Argument(metavar="PRIVATE", help="File for the private key, which signs: .pem.")
]
Public = Annotated[Path, typer.Argument(metavar="PUBLIC", help="File for the public key: .pem.")]
Passphrase = Annotated[
    bool,
    flag_option(
        "--passphrase",
        help="Encrypt the private key. The passphrase is read from SHOAL_PASSPHRASE, or you are"
        " asked for it.",
    ),
]


def keygen(
    private: Private,
    public: Public,
    passphrase: Passphrase = False,
    quiet: options.Quiet = False,
) -> None:
    """Create a pair of Ed25519 keys, for --sign and for verify --key; no file is replaced."""
    with session(quiet=quiet):
        from shoal.audit.keys import PASSPHRASE, make_key_pair

        passphrase_text = os.environ.get(PASSPHRASE) if passphrase else None
        if passphrase and passphrase_text is None:
            passphrase_text = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=True)
        make_key_pair(private, public, passphrase=passphrase_text)
        line = f"{private}: the private key, keep it secret\n{public}: the public key"
        content = {"private": str(private), "public": str(public)}
        print_result(content, line, as_json=False, quiet=quiet)
