"""The page: built, served, and written to a folder."""

import pytest

from lab.tests.explorer.page import RESULTS, serving
from novelty_lab.explorer.site import build, export


@pytest.fixture(scope="session")
def site():
    return build(RESULTS)


@pytest.fixture(scope="session")
def address(site):
    with serving(site) as server:
        yield server.address


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    export(RESULTS, folder)
    return (folder / "index.html").as_uri()


@pytest.fixture(autouse=True)
def own_console(request):
    """What other tests left in the console is not of this one."""
    if "browser" in request.fixturenames:
        request.getfixturevalue("browser").get_log("browser")
