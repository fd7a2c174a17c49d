"""A Chromium for the tests: ``python -m tests.browser.chromium`` brings one if there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find() -> str | None:
    """Return the path of an installed Chromium or Chrome, or of Playwright's own."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def bring() -> None:
    """Install one: by apt-get where we may, else Playwright's own."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("installing Chromium by apt-get …", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=False, env=quiet)
        install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium"]
        subprocess.run(install, check=False, env=quiet, stdout=subprocess.DEVNULL)
    if find() is None:
        print("installing Playwright's Chromium …", flush=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


if __name__ == "__main__":
    if find() is None:
        bring()
    if find() is None:
        sys.exit(f"no browser for the tests: expected one of {', '.join(NAMES)} on the PATH")
