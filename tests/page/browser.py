# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium, by ChromeDriver's HTTP interface (W3C WebDriver). Both are Debian's."""
import base64
import http.client
import json
import shutil
import socket
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-device-scale-factor=1"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, width=1280, height=900):
        self.folder = tempfile.mkdtemp(prefix="pluss-page-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        for _ in range(300):
            try:
                self.call("GET", "/status")
                break
            except OSError:
                time.sleep(0.2)
        options = {"args": FLAGS + [f"--user-data-dir={self.folder}", f"--window-size={width},{height}"]}
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{made['sessionId']}"

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{path}: {value['error']}: {value.get('message', '')[:300]}")
        return value

    def post(self, path, body):
        return self.call("POST", self.session + path, body)

    def open(self, path):
        self.post("/url", {"url": "file://" + path})

    def run(self, script, *arguments):
        """The value of a script's `return`."""
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.post("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.post(f"/element/{self.find(selector)}/click", {})

    def move_to(self, selector, x, y):
        """The pointer, from the middle of an element."""
        origin = {ELEMENT: self.find(selector)}
        self.post("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "origin": origin, "x": x, "y": y, "duration": 0}]}]})

    def keys(self, text):
        self.post("/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def resize(self, width, height):
        self.post("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})

    def media(self, media, scheme="light"):
        self.post("/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]}})

    def screenshot(self, whole=False):
        if whole:
            shot = self.post("/goog/cdp/execute", {"cmd": "Page.captureScreenshot", "params": {"captureBeyondViewport": True, "format": "png"}})["data"]
        else:
            shot = self.call("GET", self.session + "/screenshot")
        return base64.b64decode(shot)

    def pdf(self):
        return base64.b64decode(self.post("/print", {"background": True, "page": {"width": 21.0, "height": 29.7}}))

    def errors(self):
        return [entry["message"] for entry in self.post("/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def close(self):
        try:
            self.call("DELETE", self.session)
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
