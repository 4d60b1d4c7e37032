<?php

declare(strict_types=1);

require __DIR__ . '/http.php';
require __DIR__ . '/app.php';

const READ_SIZE = 16 * 1024;
const IDLE_SECONDS = 60;
const LINGER_SECONDS = 2;

// stream_select() can watch no descriptor above 1023; further connections wait in the kernel's backlog.
const MAX_CONNECTIONS = 1000;

/** While it has output it is watched for writing only, so a client that does not read is not read either. */
final class Connection
{
    public string $input = '';
    public string $output = '';
    public bool $closing = false;
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

    /** @param resource $listener */
    public function __construct(private readonly mixed $listener)
    {
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
            if (@stream_select($read, $write, $except, 1) === false) {
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
        $this->answerAll($connection);
        if ($connection->output !== '') {
            $this->send($id, $connection);
        }
    }

    private function answerAll(Connection $connection): void
    {
        $input = $connection->input;
        $size = strlen($input);
        $at = 0;
        while (!$connection->closing) {
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
            [$status, $headers, $body] = answer($request);
            if (!$request->keepAlive) {
                $connection->output .= response($status, $headers, $body, "Connection: close\r\n");
                $connection->closing = true;
                break;
            }
            $notice = $request->oldVersion ? "Connection: keep-alive\r\n" : '';
            $connection->output .= response($status, $headers, $body, $notice);
            $at = $request->end;
        }
        $connection->input = $connection->closing ? '' : substr($input, $at);
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
        $this->reading[$id] = $connection->socket;
        if ($connection->closing) {
            // Closing now would reset the connection if the client still sends, and the response could be lost.
            stream_socket_shutdown($connection->socket, STREAM_SHUT_WR);
            $connection->active = time();
        }
    }

    private function sweep(int $now): void
    {
        foreach ($this->connections as $id => $connection) {
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
