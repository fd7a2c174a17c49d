"""A Chromium, and a built site served to it as a published one would be."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Request, sync_playwright

from build_scripts.publishing import Rule, headers_of, rules, script_hashes
from tests.browser import chromium
from tests.site_checks import SUB_PATH, BuiltSite

HOST = "specdec.localhost"
"""A made-up host that Chromium is told to find at the test's own server, and to trust as local."""

ADDRESS = SUB_PATH
assert ADDRESS.startswith(f"http://{HOST}/")


class Handler(SimpleHTTPRequestHandler):
    """Serves a site below /x/y/ with the headers that are to be published with it."""

    rules: Sequence[Rule] = ()

    def translate_path(self, path: str) -> str:
        """Return the file for an address."""
        return super().translate_path(path.removeprefix("/x/y"))

    def end_headers(self) -> None:
        """Send the headers, but let the browser cache for a while: asking again would take time."""
        path = self.path.partition("?")[0].removeprefix("/x/y")
        headers = {**headers_of(path, self.rules), "Cache-Control": "max-age=600"}
        for name, value in headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # the name is given
        """Say nothing."""


@contextmanager
def serving(handler: Callable[..., SimpleHTTPRequestHandler]) -> Iterator[int]:
    """Serve on a port of this machine, which is returned."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def port(published: BuiltSite) -> Iterator[int]:
    """Serve the site and return the port."""
    handler = type("Served", (Handler,), {"rules": rules(script_hashes(published.folder))})
    with serving(partial(handler, directory=str(published.folder))) as port:
        yield port


Launch = Callable[[int], Browser]


@pytest.fixture(scope="session")
def launch() -> Iterator[Launch]:
    """Return a function that starts a headless Chromium.

    It finds the made-up host at a port of this machine, and nothing else anywhere.
    """
    path = chromium.find()
    with sync_playwright() as playwright:

        def launch(port: int) -> Browser:
            return playwright.chromium.launch(
                executable_path=path,
                args=[
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-background-networking",
                    "--disable-component-update",
                    f"--host-resolver-rules=MAP {HOST} 127.0.0.1:{port}, MAP * ~NOTFOUND",
                ],
            )

        yield launch


@pytest.fixture(scope="session")
def browser(launch: Launch, port: int) -> Iterator[Browser]:
    """Return a browser that finds the site."""
    browser = launch(port)
    yield browser
    browser.close()


Open = Callable[..., Page]


def failed(request: Request) -> list[str]:
    """Return a complaint about a request that failed, unless leaving the page ended it."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"failed: {request.url}"]


def elsewhere(url: str) -> list[str]:
    """Return a complaint about a request to another host."""
    ours = url.startswith((ADDRESS, "file://", "data:", "blob:"))
    return [] if ours else [f"another host: {url}"]


Context = Callable[..., BrowserContext]
"""Makes a context with some options, or returns the one it made with the same."""


@pytest.fixture(scope="session")
def context(browser: Browser) -> Context:
    """Return a function that makes contexts of the browser."""
    return contexts_of(browser)


def contexts_of(browser: Browser) -> Context:
    made: dict[str, BrowserContext] = {}

    def context(**options: object) -> BrowserContext:
        key = repr(sorted(options.items()))
        if key not in made:
            made[key] = browser.new_context(**options)  # type: ignore[arg-type]
        return made[key]

    return context


@pytest.fixture
def open_page(context: Context) -> Iterator[Open]:
    """Return a function that opens a page; at the end the console must have been silent.

    It must also have asked no other host for anything. Pages share what the browser caches, and
    nothing that a page stores. Contexts of another browser can be given, which finds another site
    at the address.
    """
    pages: list[Page] = []
    said: list[str] = []

    def close(dialog: Dialog) -> None:
        said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def listen(page: Page) -> None:
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("requestfailed", lambda request: said.extend(failed(request)))
        page.on("dialog", close)
        page.on("request", lambda request: said.extend(elsewhere(request.url)))

    def open_page(
        path: str,
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        within: Context = context,
        **options: object,
    ) -> Page:
        page = within(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        ).new_page()
        pages.append(page)
        listen(page)
        page.goto(path if path.startswith("file:") else ADDRESS + path)
        return page

    yield open_page
    for page in pages:
        page.evaluate("localStorage.clear()")
        page.close()
    assert said == []


NOTE_WHAT_MOVES = (
    "window.moved = []; new PerformanceObserver(list => { for (const entry of "
    "list.getEntries()) moved.push(entry.value); })"
    ".observe({type: 'layout-shift', buffered: true});"
)
"""Each shift, also one after a click, which may be meant on other sites."""


def until(page: Page, condition: str) -> None:
    """Wait until JavaScript says so. Playwright's own way to wait evaluates text, which the policy
    forbids unless the condition holds at once.
    """
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"expected {condition} within ten seconds")
