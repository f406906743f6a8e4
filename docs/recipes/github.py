"""GitHub's API with ETags: pages of issues that cost nothing while they do not change.

    python3 docs/recipes/github.py .build/debug/tidemark

A server on this machine stands in for api.github.com; it speaks the part of the API that counts here: an `ETag` for each
page, 304 for who has it (which does not count against the limit of requests), and `since`. For the real one pass its
address and the fields `Authorization` and `X-GitHub-Api-Version` in `headers`.
"""
import hashlib
import http.server
import json
import sys
import tempfile
import threading

from session import Session

ISSUES = [{"id": 1, "number": 1, "title": "Slow start", "state": "open", "updated_at": "2026-11-01T10:00:00Z"},
          {"id": 2, "number": 2, "title": "Typo", "state": "open", "updated_at": "2026-11-02T10:00:00Z"}]
STATUSES = []


class GitHub(http.server.BaseHTTPRequestHandler):
    """Answers GET /repos/{owner}/{repo}/issues."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = json.dumps(ISSUES).encode()
        etag = f'W/"{hashlib.sha256(body).hexdigest()[:16]}"'
        is_known = self.headers.get("If-None-Match") == etag
        self.send_response_only(304 if is_known else 200)
        self.send_header("ETag", etag)
        self.send_header("Cache-Control", "private, max-age=60, s-maxage=60")
        if not is_known:
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not is_known:
            self.wfile.write(body)
        STATUSES.append(304 if is_known else 200)


def main(command):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/repos/octo/sea/issues?state=all&per_page=100"
    # The issues of the page become entities, and a list that events could maintain, too.
    normalize = {"resource_type": "issue", "method": "issues", "input": {"repo": "octo/sea"}}

    with tempfile.TemporaryDirectory() as folder:
        cache = Session(command, folder + "/cache.db", "--upstream", "none")

        def poll(*policy):
            return cache.call("http.fetch", url=url, policy=list(policy), normalize=normalize,
                              headers={"Accept": "application/vnd.github+json"})

        def titles():
            read = cache.call("query.read", method="issues", input={"repo": "octo/sea"}, policy="cacheOnly")
            return [issue["title"] for issue in read["entities"]]

        assert poll("etag")["stored"]
        cache.call("query.observe", method="issues", input={"repo": "octo/sea"}, policy="cacheOnly")
        assert titles() == ["Slow start", "Typo"] and STATUSES == [200]
        # Within max-age nobody is asked; with `etag` a 304 confirms what is stored.
        assert poll("maxAge")["from_cache"] and STATUSES == [200]
        assert poll("etag")["revalidated"] and STATUSES == [200, 304]
        ISSUES[1] = dict(ISSUES[1], title="Typo in the README")
        assert not poll("etag")["from_cache"] and STATUSES == [200, 304, 200]
        assert titles() == ["Slow start", "Typo in the README"]
        changes = [note["params"]["patch"] for note in cache.notifications if note["method"] == "query.changed"]
        assert changes == [[{"op": "replace", "path": "/1", "value": ISSUES[1]}]], changes
        # Without a network the page is served as it was last seen.
        server.shutdown()
        server.server_close()
        assert poll("etag", "loadIfOffline")["from_cache"]
        print("issue 2:", titles()[1])
        cache.close()


main(*(sys.argv[1:2] or ["tidemark"]))
