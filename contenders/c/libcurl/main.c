// Saves files with libcurl: one after the other by the easy interface, several at once by the multi interface. Connections are kept.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct transfer {
    CURL *curl;
    FILE *file;
    char error[CURL_ERROR_SIZE];
};

// What came of a line.
struct outcome {
    curl_off_t bytes;
    char error[CURL_ERROR_SIZE];
};

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int prepare(struct transfer *one) {
    one->curl = curl_easy_init();
    if (!one->curl) return 1;
    curl_easy_setopt(one->curl, CURLOPT_ERRORBUFFER, one->error);
    curl_easy_setopt(one->curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(one->curl, CURLOPT_PRIVATE, one);
    return 0;
}

// Takes an address and a file off the line, and is ready to fetch.
static void begin(struct transfer *one, char **line) {
    char *url = strsep(line, "\t"), *out = strsep(line, "\t");
    one->error[0] = 0;
    one->file = out ? fopen(out, "wb") : NULL;
    if (!one->file) exit(1);
    curl_easy_setopt(one->curl, CURLOPT_URL, url);
    curl_easy_setopt(one->curl, CURLOPT_WRITEDATA, one->file);
}

static void end(struct transfer *one, CURLcode result, struct outcome *all) {
    long status = 0;
    curl_off_t bytes = 0;
    int closed = fclose(one->file);
    curl_easy_getinfo(one->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(one->curl, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
    all->bytes += bytes;
    if (result != CURLE_OK)
        snprintf(all->error, sizeof all->error, "%s", one->error[0] ? one->error : curl_easy_strerror(result));
    else if (closed || status != 200)
        snprintf(all->error, sizeof all->error, "status %ld", status);
}

static void fetch_several(CURLM *multi, struct transfer *transfers, int at_once, char *line, struct outcome *all) {
    int running = 0;
    for (int i = 0; i < at_once && line; i++) {
        begin(&transfers[i], &line);
        curl_multi_add_handle(multi, transfers[i].curl);
        running++;
    }
    while (running) {
        int unused;
        curl_multi_perform(multi, &unused);
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &unused));) {
            if (message->msg != CURLMSG_DONE) continue;
            struct transfer *one;
            CURLcode result = message->data.result;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&one);
            curl_multi_remove_handle(multi, one->curl);
            end(one, result, all);
            running--;
            if (line) {
                begin(one, &line);
                curl_multi_add_handle(multi, one->curl);
                running++;
            }
        }
        if (running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
}

int main(void) {
    const char *told = getenv("AT_ONCE");
    int at_once = told ? atoi(told) : 1;
    if (at_once < 1) return 1;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    struct transfer *transfers = calloc(at_once, sizeof *transfers);
    if (!multi || !transfers) return 1;
    for (int i = 0; i < at_once; i++)
        if (prepare(&transfers[i])) return 1;

    setvbuf(stdout, NULL, _IOLBF, 0);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        char *tab = strchr(line, '\t');
        if (!tab) return 1;
        int is_one = !strchr(tab + 1, '\t');

        long long began = now_ns();
        struct outcome all = {0};
        if (is_one) {
            char *rest = line;
            begin(&transfers[0], &rest);
            end(&transfers[0], curl_easy_perform(transfers[0].curl), &all);
        } else {
            fetch_several(multi, transfers, at_once, line, &all);
        }
        long long took = now_ns() - began;

        if (all.error[0]) printf("%lld\terror: %s\n", took, all.error);
        else printf("%lld\t%lld\n", took, (long long)all.bytes);
    }
    free(line);
    for (int i = 0; i < at_once; i++) curl_easy_cleanup(transfers[i].curl);
    free(transfers);
    curl_multi_cleanup(multi);
    curl_global_cleanup();
    return 0;
}
