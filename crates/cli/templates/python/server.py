import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        parts = self.path.split("/")
        if self.path == "/":
            self.answer(200, b"")
        elif len(parts) == 3 and parts[1] == "hello" and parts[2].isdigit():
            self.answer(200, b"hello " + parts[2].encode())
        elif len(parts) == 3 and parts[1] == "user" and parts[2]:
            self.answer(200, parts[2].encode())
        else:
            self.answer(404, b"")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200 if self.path == "/user" else 404, b"")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 1024


Server((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
