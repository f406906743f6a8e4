"""The host's side of a session of `tidemark run`, for the recipes in Python."""
import itertools
import json
import subprocess


class Session:
    """Sends events and requests, answers the cache's own requests, and keeps notifications."""

    def __init__(self, command, database, *arguments, handlers=None):
        self.process = subprocess.Popen(
            [command, "run", "--db", database, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.handlers = handlers or {}
        self.numbers = itertools.count(1)
        self.notifications = []

    def send(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def call(self, method, /, **params):
        """Sends a request and returns its result. Requests of the cache are answered meanwhile."""
        number = next(self.numbers)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" not in message:
                if message["id"] != number:
                    raise RuntimeError(f"{method} got the answer to another request: {message}")
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "id" in message:
                result = self.handlers[message["method"]](message["params"])
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
            else:
                self.notifications.append(message)
        raise RuntimeError(f"the session ended before it answered {method}")

    def cursor(self, sequence, library=""):
        """Waits until the cache has reached a position of a library; returns position and state."""
        reached = self.call("cache.caught_up", library_id=library, sequence=sequence)
        return reached["cursor"], reached["state"]

    def entity(self, resource_type, id, library=""):
        return self.call("entity.get", resource_type=resource_type, id=id, library_id=library)["entity"]

    def close(self):
        """Ends the input; everything is then written to the disk."""
        self.process.stdin.close()
        for _ in self.process.stdout:
            pass
        status = self.process.wait()
        assert status == 0, status
