"""``shoal keygen``: make a key pair that signs manifests."""

import os
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import _options as options
from shoal.cli._session import say, session

Private = Annotated[
    Path, typer.Argument(metavar="PRIVATE", help="File for the private key, which signs: .pem.")
]
Public = Annotated[
    Path, typer.Argument(metavar="PUBLIC", help="File for the public key, for everybody: .pem.")
]
Passphrase = Annotated[
    bool,
    typer.Option(
        "--passphrase",
        help="Encrypt the private key. SHOAL_PASSPHRASE holds the passphrase, or a prompt asks.",
    ),
]


def keygen(
    private: Private,
    public: Public,
    passphrase: Passphrase = False,
    quiet: options.Quiet = False,
) -> None:
    """Make an Ed25519 key pair for --sign and verify --key; no file is replaced."""
    with session(quiet=quiet):
        from shoal.audit.keys import PASSPHRASE, make_key_pair

        words = os.environ.get(PASSPHRASE) if passphrase else None
        if passphrase and words is None:
            words = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=True)
        make_key_pair(private, public, passphrase=words)
        line = f"{private}: the private key, keep it secret\n{public}: the public key"
        content = {"private": str(private), "public": str(public)}
        say(content, line, as_json=False, quiet=quiet)
