"""Actions of a user on the web page, in a browser; ``view`` is a page of Playwright."""


def press(view, name):
    view.locator("html[data-ready]").wait_for()  # after a form has led to a page
    view.get_by_role("button", name=name, exact=True).click()


def wait_until_kept(view):
    """Wait until the server has stored every change."""
    view.locator("html[data-ready]:not([data-sending])").wait_for()


def end_session(view):
    press(view, "End session")
    press(view, "End the session")
    view.get_by_role("heading", name="The session has ended").wait_for()


def load(view, path):
    view.locator("#file").set_input_files(path)
    view.locator("html[data-ready] #settings").wait_for()


def take_example(view, name="sme"):
    press(view, name)
    view.locator("html[data-ready] #settings").wait_for()


def run(view, k, method="mdav"):
    view.locator("#k").fill(k)
    view.locator("#method").select_option(method)
    press(view, "Run")
    view.locator(".run").first.wait_for()


def saved(view, link, folder):
    """Download what a link offers; return the path of the file in ``folder``."""
    with view.expect_download() as download:
        view.get_by_role("link", name=link, exact=True).first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


class Silent(list):
    """A list that stays empty, for messages that nobody reads."""

    def append(self, message):
        del message
