"""A feed of webhooks: deliveries without numbers, out of order, twice, and signed.

    python3 docs/recipes/webhook.py .build/debug/tidemark

The receiver checks the signature, drops what it has seen, and appends each delivery with the next number to a file. The
file is the log: Tidemark is fed from its end, and reads what is missing from it. So a delivery is answered with 200 once
it is in the file, and a cache that was away catches up.
"""
import hashlib
import hmac
import http.server
import json
import os
import sys
import tempfile
import threading
import urllib.error
import urllib.request

from session import Session

SECRET = b"shared with the sender"


class Receiver(http.server.ThreadingHTTPServer):
    """Receives deliveries and keeps the log."""

    def __init__(self, log):
        super().__init__(("127.0.0.1", 0), Delivery)
        self.log = open(log, "a", encoding="utf-8")
        self.lock = threading.Lock()
        # In service: a table of the last days' ids, and the count of lines that the file has at the start.
        self.seen = set()
        self.sequence = 0
        self.feed = lambda line: None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def accept(self, id, body):
        """Appends a delivery to the log, once."""
        with self.lock:
            if id in self.seen:
                return
            self.sequence += 1
            line = {"library_id": "hooks", "sequence": self.sequence,
                    "event": {"ResourceChanged": {"resource_type": "photo", "resource": body["photo"]}}}
            self.log.write(json.dumps(line) + "\n")
            self.log.flush()
            os.fsync(self.log.fileno())
            self.seen.add(id)
            self.feed(line)


class Delivery(http.server.BaseHTTPRequestHandler):
    """One delivery."""

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"]))
        expected = "sha256=" + hmac.new(SECRET, text, hashlib.sha256).hexdigest()
        genuine = hmac.compare_digest(expected, self.headers.get("X-Signature", ""))
        if genuine:
            self.server.accept(self.headers["X-Delivery"], json.loads(text))
        self.send_response(200 if genuine else 403)
        self.end_headers()

    def log_message(self, *words):
        pass


def deliver(url, id, photo, secret=SECRET):
    text = json.dumps({"photo": photo}).encode()
    signature = "sha256=" + hmac.new(secret, text, hashlib.sha256).hexdigest()
    request = urllib.request.Request(url, text, {"X-Delivery": id, "X-Signature": signature})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


def main(command):
    with tempfile.TemporaryDirectory() as folder:
        log, database = folder + "/hooks.ndjson", folder + "/cache.db"
        receiver = Receiver(log)
        url = f"http://127.0.0.1:{receiver.server_port}/"
        cache = Session(command, database, "--upstream", "file:" + log)
        receiver.feed = cache.send
        assert deliver(url, "a", {"id": "1", "name": "Sea"}) == 200
        assert deliver(url, "a", {"id": "1", "name": "Sea"}) == 200
        assert deliver(url, "x", {"id": "1", "name": "forged"}, b"another secret") == 403
        assert cache.cursor(1, "hooks") == (1, "live")
        cache.close()

        # The cache is away; the receiver is not. Deliveries 2 and 3 are in the log only.
        receiver.feed = lambda line: None
        deliver(url, "b", {"id": "2", "name": "Dunes"})
        deliver(url, "c", {"id": "1", "name": "Sea at night"})
        cache = Session(command, database, "--upstream", "file:" + log)
        receiver.feed = cache.send
        deliver(url, "d", {"id": "3", "name": "Pier"})
        assert cache.cursor(4, "hooks") == (4, "live")
        print("photo 1:", cache.entity("photo", "1", "hooks")["name"])
        cache.close()
        receiver.shutdown()


main(*(sys.argv[1:2] or ["tidemark"]))
