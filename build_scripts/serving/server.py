"""The server: it builds when a file has changed, and shows the last good site until all is good.

MkDocs 1.6 ends its line, so that what of its server is private here does not change any more.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import Files
from watchdog.events import (
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from build_scripts.serving.faults import (
    HOOK_LOG,
    STYLE,
    Listener,
    banner,
    explained,
    page_of,
    style,
    syntax_faults,
    told,
)
from build_scripts.serving.inputs import Inputs, Snapshot, changed
from build_scripts.serving.kept import KeptPages, KeptParts, NoSettings
from build_scripts.serving.report import Report

_log = logging.getLogger(HOOK_LOG)

SECONDS_BETWEEN_LOOKS = 1.0
"""How often to look at files: on drives of other machines, no event tells of a save."""

_NEEDS_RESTART = ("build_scripts/mkdocs_hook.py", "build_scripts/serving/")

_SAVES = [FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent]


class Workshop:
    """All that a maintainer's session keeps from build to build.

    MkDocs builds once before it serves, and ends if that fails. That build is an empty one; the
    first real one is made by the server, as all others are, so that it may fail.
    """

    def __init__(self, project: Path) -> None:
        """Begin with nothing, in a project folder."""
        self.project = project
        self.listener = Listener()
        self.report = Report()
        self.parts = KeptParts(project)
        self.pages = KeptPages(lambda fault, page: explained(fault, project, page))
        self.folder: Path | None = None
        # Of two versions saved in a second, it may be the first; the same in processes that draw.
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

    def build_nothing(self, config: MkDocsConfig) -> None:
        """Have MkDocs build an empty site, without a word."""
        for handler in logging.getLogger("mkdocs").handlers:
            handler.addFilter(self.listener)
        config.nav = []
        config.theme.static_templates.clear()
        config.plugins["specdec, until there is a site"] = _NoFiles()

    def build_what_changed(self, config: MkDocsConfig) -> None:
        """Have MkDocs build into a folder of its own and spare what has not changed."""
        config.site_dir = str(self.folder)
        config.plugins["specdec, while serving"] = self.pages

    def start(self, now: Snapshot, folder: Path, said: list[str], *, quiet: bool) -> None:
        """Begin a build from these files into a folder, with a list for its faults."""
        self.folder = folder
        self.report.start(quiet=quiet)
        self.parts.start(now)
        self.pages.start(now, said)

    def settle(self, *, steady: bool) -> None:
        """End a build; unless files were steady, what it made may not be what they now hold."""
        self.parts.settle(steady=steady)
        self.pages.settle(steady=steady)


class _NoFiles(BasePlugin[NoSettings]):  # type: ignore[no-untyped-call]
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        return Files([])


class _Stirs(FileSystemEventHandler):
    """Notes that something has happened to a file."""

    def __init__(self, stirred: threading.Event) -> None:
        self._stirred = stirred

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._stirred.set()


class LiveServer(LiveReloadServer):
    """Serves the last good site, with the faults of what was saved since."""

    def __init__(
        self,
        workshop: Workshop,
        build: Callable[[], None],
        config: MkDocsConfig,
        port: tuple[str, int],
        mount_path: str,
    ) -> None:
        self._folders = Path(config.site_dir)
        # One name for all sites: MkDocs notes where a file is before it waits for a build.
        self._shown = self._folders / "shown"
        super().__init__(self._build, *port, root=str(self._shown), mount_path=mount_path)
        self.error_handler = self._error_page
        self._workshop = workshop
        self._mkdocs_build = build
        self._project = workshop.project
        self._inputs = Inputs(self._project, ())
        self._built = Snapshot({}, {})
        self._steady = False
        self._faults: list[str] = []
        self._events = Observer()
        self._stirred = threading.Event()
        self._want_rebuild = True  # the first build
        self._wanted_epoch += 1  # nobody is answered before

    # Watching.

    def watch(self, path: str, func: None = None, *, recursive: bool = True) -> None:
        """Have a file, or a folder with all it holds, looked after."""
        there = Path(path).absolute()
        self._inputs = Inputs(self._project, (*self._inputs.paths, there))
        self._watched_paths[str(there)] = 1  # pages get the script that reloads them
        # A file may be replaced by another of its name, which its folder notices.
        folder = there if there.is_dir() else there.parent
        self._events.schedule(
            _Stirs(self._stirred), str(folder), recursive=there.is_dir(), event_filter=_SAVES
        )

    def serve(self, *, open_in_browser: bool = False) -> None:
        """Serve, watch and build until interrupted."""
        try:
            self._events.start()
        except OSError as fault:  # the system has a limit
            _log.info("looking at the files each second: %s", fault)
        threading.Thread(target=self._look, daemon=True).start()
        # As Ctrl-C, after which MkDocs tidies up.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        super().serve(open_in_browser=open_in_browser)  # type: ignore[no-untyped-call]

    def server_bind(self) -> None:
        """Take the address, or say who may have it."""
        try:
            super().server_bind()
        except OSError as fault:
            raise Abort(
                f"{self.url}: {fault.strerror}; is a server of yours running? Another address: "
                "make serve ARGS='--dev-addr 127.0.0.1:8001'"
            ) from fault

    def _look(self) -> None:
        """Ask for a build whenever a file holds something else than the last build has read."""
        while not self._shutdown:
            told_of_it = self._stirred.wait(SECONDS_BETWEEN_LOOKS)
            self._stirred.clear()
            built = self._built
            if not built.stamps or (not told_of_it and self._inputs.stamps() == built.stamps):
                continue
            if self._inputs.read().digests != built.digests:
                self._ask()

    def _ask(self) -> None:
        with self._rebuild_cond:
            self._want_rebuild = True
            self._rebuild_cond.notify_all()

    def shutdown(self, wait: bool = False) -> None:
        """Stop watching and serving."""
        if self._events.is_alive():
            self._events.stop()
        super().shutdown(wait)

    # Building.

    def _build(self) -> None:
        """Build, and show either the new site or, with its faults, the one before."""
        started = time.monotonic()
        before, now = self._built, self._inputs.read()
        if self._steady and now.digests == before.digests:
            with self._epoch_cond:
                self._wanted_epoch = self._visible_epoch  # nothing to reload
            return
        self._built = now
        folder = Path(tempfile.mkdtemp(dir=self._folders))
        faults = self._faults_of_build(before, now, folder)
        self._steady = self._inputs.stamps() == now.stamps
        self._workshop.settle(steady=self._steady)
        if not self._steady:
            self._ask()
        report = self._workshop.report
        saved = changed(before.digests, now.digests) if before.digests else []
        self._faults = faults
        if faults:
            shutil.rmtree(folder, ignore_errors=True)
            _log.error("\n".join(report.bad(saved, faults, served=self._shown.exists())))
            return
        pages_changed = report.pages(self._shown, folder)
        for line in report.good(saved, pages_changed, time.monotonic() - started):
            _log.info(line)
        old = folder.with_name("old")
        if self._shown.exists():
            self._shown.rename(old)
        folder.rename(self._shown)
        shutil.rmtree(old, ignore_errors=True)

    def _faults_of_build(self, before: Snapshot, now: Snapshot, folder: Path) -> list[str]:
        with self._workshop.listener.build() as said:
            self._workshop.start(now, folder, said, quiet=self._shown.exists())
            try:
                said += self._reload(before, now)
                if not said:
                    self._mkdocs_build()
            except Abort as end:
                # Which has been logged, but MkDocs hides what it has logged before.
                said.append(str(end.__context__ or end))
                return told(said, self._project) or [str(end)]
            except Exception as fault:  # whatever it is, the next save may be good
                said.append(explained(fault, self._project))
        return told(said, self._project)

    def _reload(self, before: Snapshot, now: Snapshot) -> list[str]:
        """Have Python read our code anew if it has changed; return what it cannot read."""
        code = [path for path in now.digests if path.endswith(".py")]
        edited = [path for path in changed(before.digests, now.digests) if path.endswith(".py")]
        if not before.digests or not edited:
            return [] if before.digests else syntax_faults(self._project, code)
        for path in edited:
            if path.startswith(_NEEDS_RESTART):
                _log.warning("%s has changed: start `make serve` again to run it", path)
        forget_code()
        return syntax_faults(self._project, code)

    # Answering.

    def serve_request(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answer with a file of the last good site or, while there is none, with the faults."""
        path = environ["PATH_INFO"]
        if path == STYLE:
            return _answer(start_response, "200 OK", "text/css", style())
        if not self._shown.exists() and not path.startswith("/livereload/"):
            with self._epoch_cond:
                self._epoch_cond.wait_for(lambda: self._visible_epoch == self._wanted_epoch)
                epoch = self._visible_epoch
            if not self._shown.exists():
                content = self._inject_js_into_html(page_of(self._faults), epoch)
                return _answer(start_response, "503 Service Unavailable", "text/html", content)
        return super().serve_request(environ, start_response)

    def _inject_js_into_html(self, content: bytes, epoch: int) -> bytes:
        """Add what reloads the page, and the faults."""
        page: bytes = super()._inject_js_into_html(content, epoch)  # type: ignore[no-untyped-call]
        if not self._faults or not self._shown.exists():
            return page
        start = page.find(b">", page.find(b"<body")) + 1
        return page[:start] + banner(self._faults) + page[start:]

    def _error_page(self, code: int) -> bytes | None:
        file = Path(self.root) / f"{code}.html"
        return (
            self._inject_js_into_html(file.read_bytes(), self._visible_epoch)
            if file.is_file()
            else None
        )


def forget_code() -> None:
    """Drop our own modules but those that serve, so that the next import reads them anew."""
    for name in list(sys.modules):
        package, _, inside = name.partition(".")
        own = package == "specdec" or (package == "build_scripts" and inside)
        if own and inside.partition(".")[0] != "serving":
            del sys.modules[name]
            # Else `from build_scripts import wording` would find the old one there.
            vars(sys.modules.get(package, sys)).pop(inside, None)


def _answer(
    start_response: StartResponse, status: str, kind: str, content: bytes
) -> Iterable[bytes]:
    length = str(len(content))
    start_response(status, [("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", length)])
    return [content]
