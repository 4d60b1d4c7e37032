<?php

declare(strict_types=1);

require __DIR__ . '/http.php';
require __DIR__ . '/app.php';

const READ_SIZE = 16 * 1024;
const IDLE_SECONDS = 60;
const LINGER_SECONDS = 2;

// stream_select() can watch no descriptor above 1023; further connections wait in the kernel's backlog.
const MAX_CONNECTIONS = 1000;

/**
 * While it has output it is watched for writing only, so a client that does not read is not read either. While an
 * answer has to wait it is not watched for reading, which keeps its answers in order.
 */
final class Connection
{
    public string $input = '';
    public string $output = '';
    public bool $closing = false;
    public bool $waiting = false;
    public int $active;

    /** @param resource $socket */
    public function __construct(public readonly mixed $socket)
    {
        $this->active = time();
    }
}

final class Server
{
    /** @var array<int, Connection> */
    private array $connections = [];
    /** @var array<int, resource> by the same numbers */
    private array $reading = [];
    /** @var array<int, resource> */
    private array $writing = [];
    /** @var SplMinHeap<array{int, int, Request, array}> when, in nanoseconds; the connection's number; what to answer */
    private SplMinHeap $timers;

    /** @param resource $listener */
    public function __construct(private readonly mixed $listener)
    {
        $this->timers = new SplMinHeap();
    }

    public function run(): never
    {
        $swept = time();
        while (true) {
            $read = $this->reading;
            $write = $this->writing;
            $except = null;
            if (count($this->connections) < MAX_CONNECTIONS) {
                $read[] = $this->listener;
            }
            [$seconds, $microseconds] = $this->timers->isEmpty() ? [1, 0] : $this->untilTimer();
            if ($read === [] && $write === []) {
                // All connections wait, and stream_select() wants something to watch.
                usleep($seconds * 1_000_000 + $microseconds);
            } elseif (@stream_select($read, $write, $except, $seconds, $microseconds) === false) {
                continue;
            }
            foreach ($write as $id => $socket) {
                $this->send($id, $this->connections[$id]);
            }
            foreach ($read as $id => $socket) {
                if ($socket === $this->listener) {
                    $this->accept();
                } else {
                    $this->receive($id, $this->connections[$id]);
                }
            }
            if (!$this->timers->isEmpty()) {
                $this->answerWaiting();
            }
            if ($swept !== time()) {
                $swept = time();
                $this->sweep($swept);
            }
        }
    }

    private function accept(): void
    {
        while (count($this->connections) < MAX_CONNECTIONS) {
            $socket = @stream_socket_accept($this->listener, 0);
            if ($socket === false) {
                return;
            }
            stream_set_blocking($socket, false);
            stream_set_read_buffer($socket, 0);
            $id = get_resource_id($socket);
            $this->connections[$id] = new Connection($socket);
            $this->reading[$id] = $socket;
        }
    }

    private function receive(int $id, Connection $connection): void
    {
        $data = @fread($connection->socket, READ_SIZE);
        if ($data === '' || $data === false) {
            if (feof($connection->socket)) {
                $this->close($id, $connection);
            }
            return;
        }
        if ($connection->closing) {
            return;
        }
        $connection->active = time();
        $connection->input .= $data;
        $this->answerAll($id, $connection);
        if ($connection->output !== '') {
            $this->send($id, $connection);
        }
    }

    /** @return array{int, int} seconds and microseconds, at most one second and never too short */
    private function untilTimer(): array
    {
        $microseconds = intdiv(max(0, $this->timers->top()[0] - hrtime(true)) + 999, 1000);
        return $microseconds < 1_000_000 ? [0, $microseconds] : [1, 0];
    }

    private function answerWaiting(): void
    {
        $now = hrtime(true);
        while (!$this->timers->isEmpty() && $this->timers->top()[0] <= $now) {
            [, $id, $request, $answer] = $this->timers->extract();
            $connection = $this->connections[$id] ?? null;
            if ($connection === null) {
                continue;
            }
            $connection->waiting = false;
            $connection->active = time();
            $this->respond($connection, $request, $answer);
            $this->answerAll($id, $connection);
            $this->send($id, $connection);
        }
    }

    private function answerAll(int $id, Connection $connection): void
    {
        $input = $connection->input;
        $size = strlen($input);
        $at = 0;
        while (!$connection->closing && !$connection->waiting) {
            // Some old clients end a body with a line break that is not part of it.
            $at += strspn($input, "\r\n", $at);
            if ($at === $size) {
                break;
            }
            $request = parse($input, $at);
            if ($request === null) {
                break;
            }
            if (is_int($request)) {
                $connection->output .= response($request, '', '', "Connection: close\r\n");
                $connection->closing = true;
                break;
            }
            $answer = answer($request);
            $at = $request->end;
            if (isset($answer[3])) {
                $connection->waiting = true;
                unset($this->reading[$id]);
                $this->timers->insert([hrtime(true) + $answer[3] * 1_000_000, $id, $request, $answer]);
            } else {
                $this->respond($connection, $request, $answer);
            }
        }
        $connection->input = $connection->closing ? '' : substr($input, $at);
    }

    private function respond(Connection $connection, Request $request, array $answer): void
    {
        [$status, $headers, $body] = $answer;
        if (!$request->keepAlive) {
            $connection->output .= response($status, $headers, $body, "Connection: close\r\n");
            $connection->closing = true;
            return;
        }
        $notice = $request->oldVersion ? "Connection: keep-alive\r\n" : '';
        $connection->output .= response($status, $headers, $body, $notice);
    }

    private function send(int $id, Connection $connection): void
    {
        $sent = @fwrite($connection->socket, $connection->output);
        if ($sent === false) {
            $this->close($id, $connection);
            return;
        }
        if ($sent < strlen($connection->output)) {
            if ($sent > 0) {
                $connection->active = time();
                $connection->output = substr($connection->output, $sent);
            }
            unset($this->reading[$id]);
            $this->writing[$id] = $connection->socket;
            return;
        }
        $connection->output = '';
        unset($this->writing[$id]);
        if (!$connection->waiting) {
            $this->reading[$id] = $connection->socket;
        }
        if ($connection->closing) {
            // Closing now would reset the connection if the client still sends, and the response could be lost.
            stream_socket_shutdown($connection->socket, STREAM_SHUT_WR);
            $connection->active = time();
        }
    }

    private function sweep(int $now): void
    {
        foreach ($this->connections as $id => $connection) {
            if ($connection->waiting) {
                continue;
            }
            $limit = $connection->closing && $connection->output === '' ? LINGER_SECONDS : IDLE_SECONDS;
            if ($now - $connection->active > $limit) {
                $this->close($id, $connection);
            }
        }
    }

    private function close(int $id, Connection $connection): void
    {
        fclose($connection->socket);
        unset($this->connections[$id], $this->reading[$id], $this->writing[$id]);
    }
}

// Each process listens for itself and the kernel deals the connections out. None has drawn a number before the
// fork, so each gets a seed of its own.
$others = [];
for ($i = 1; $i < (int) getenv('CORES'); $i++) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        $others = [];
        break;
    }
    if ($pid > 0) {
        $others[] = $pid;
    }
}
pcntl_async_signals(true);
pcntl_signal(SIGTERM, function () use ($others): never {
    foreach ($others as $pid) {
        posix_kill($pid, SIGTERM);
    }
    foreach ($others as $pid) {
        pcntl_waitpid($pid, $status);
    }
    exit(0);
});

$options = ['so_reuseport' => true, 'backlog' => 1024, 'tcp_nodelay' => true];
$listener = stream_socket_server(
    'tcp://' . getenv('HOST') . ':' . getenv('PORT'),
    $code,
    $message,
    STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
    stream_context_create(['socket' => $options]),
);
if ($listener === false) {
    fwrite(STDERR, "cannot listen: $message\n");
    exit(1);
}
stream_set_blocking($listener, false);
(new Server($listener))->run();
