// The floor: the bytes of a file from a socket to a file without a copy through this process.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20, LONGEST_HEAD = 16 * 1024, LONGEST_LINE = 4096 };

static int pipe_ends[2];
static int pipe_bytes;
static int connection = -1;
static char connected_to[64];

static const char *fail(const char *what) {
    static char text[200];
    snprintf(text, sizeof text, "%s: %s", what, errno ? strerror(errno) : "end of the connection");
    close(connection);
    connection = -1;
    return text;
}

static const char *connect_to(const char *host, const char *port, const char *authority) {
    if (connection >= 0 && strcmp(connected_to, authority) == 0) return NULL;
    if (connection >= 0) close(connection);
    connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    if (connection < 0 || inet_pton(AF_INET, host, &to.sin_addr) != 1) return fail("address");
    if (connect(connection, (struct sockaddr *)&to, sizeof to)) return fail("connect");
    snprintf(connected_to, sizeof connected_to, "%s", authority);
    return NULL;
}

// The head is looked at and then taken alone, so that no byte of the body comes through this process.
static const char *read_head(char *head, long long *length) {
    for (;;) {
        errno = 0;
        ssize_t got = recv(connection, head, LONGEST_HEAD - 1, MSG_PEEK);
        if (got <= 0) return fail("receive");
        head[got] = 0;
        char *end = strstr(head, "\r\n\r\n");
        if (!end) {
            if (got == LONGEST_HEAD - 1) return fail("a head that is too long");
            continue;
        }
        size_t bytes = end + 4 - head;
        if (recv(connection, head, bytes, 0) != (ssize_t)bytes) return fail("receive");
        head[bytes] = 0;
        break;
    }
    if (strncmp(head, "HTTP/1.1 200", 12) != 0) return "a status that is not 200";
    char *found = strcasestr(head, "\r\ncontent-length:");
    if (!found) return "no length";
    *length = atoll(found + 17);
    return NULL;
}

static const char *fetch(char *url, const char *out, long long *length) {
    if (strncmp(url, "http://", 7) != 0) return "an address that is not http://";
    char *path = strchr(url + 7, '/');
    char authority[64], host[64];
    if (!path || path - url - 7 >= (int)sizeof authority) return "an address that is not known";
    snprintf(authority, sizeof authority, "%.*s", (int)(path - url - 7), url + 7);
    snprintf(host, sizeof host, "%s", authority);
    char *port = strchr(host, ':');
    if (!port) return "an address without a port";
    *port++ = 0;
    const char *wrong = connect_to(host, port, authority);
    if (wrong) return wrong;
    char request[LONGEST_LINE];
    int bytes = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, authority);
    errno = 0;
    if (send(connection, request, bytes, MSG_NOSIGNAL) != bytes) return fail("send");
    static char head[LONGEST_HEAD];
    if ((wrong = read_head(head, length))) {
        if (connection >= 0) { close(connection); connection = -1; }
        return wrong;
    }
    int file = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) return fail("open");
    for (long long left = *length; left > 0;) {
        errno = 0;
        ssize_t taken = splice(connection, NULL, pipe_ends[1], NULL, left < pipe_bytes ? left : pipe_bytes, SPLICE_F_MOVE | SPLICE_F_MORE);
        if (taken <= 0) { close(file); return fail("splice from the connection"); }
        left -= taken;
        while (taken > 0) {
            ssize_t given = splice(pipe_ends[0], NULL, file, NULL, taken, SPLICE_F_MOVE);
            if (given <= 0) { close(file); return fail("splice to the file"); }
            taken -= given;
        }
    }
    if (close(file)) return fail("close");
    if (strcasestr(head, "\r\nconnection: close")) { close(connection); connection = -1; }
    return NULL;
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void) {
    if (pipe2(pipe_ends, O_CLOEXEC)) return 1;
    pipe_bytes = fcntl(pipe_ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    if (pipe_bytes < 0) pipe_bytes = 64 * 1024;
    setvbuf(stdout, NULL, _IOLBF, 0);
    char line[2 * LONGEST_LINE];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *out = strchr(line, '\t');
        if (!out) return 1;
        *out++ = 0;
        long long length = 0, began = now_ns();
        const char *wrong = fetch(line, out, &length);
        long long took = now_ns() - began;
        if (wrong) printf("%lld\terror: %s\n", took, wrong);
        else printf("%lld\t%lld\n", took, length);
    }
    return 0;
}
