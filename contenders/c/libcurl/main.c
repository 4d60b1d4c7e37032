// Saves files with libcurl's easy interface: one handle for all, which keeps the connection.
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LONGEST_LINE = 8192 };

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void) {
    char line[LONGEST_LINE], error[CURL_ERROR_SIZE];
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL *curl = curl_easy_init();
    if (!curl) return 1;
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *out = strchr(line, '\t');
        if (!out) return 1;
        *out++ = 0;

        long long began = now_ns();
        long status = 0;
        curl_off_t bytes = 0;
        error[0] = 0;
        FILE *file = fopen(out, "wb");
        if (!file) return 1;
        curl_easy_setopt(curl, CURLOPT_URL, line);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, file);
        CURLcode result = curl_easy_perform(curl);
        int closed = fclose(file);
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(curl, CURLINFO_SIZE_DOWNLOAD_T, &bytes);
        long long took = now_ns() - began;

        if (result != CURLE_OK) printf("%lld\terror: %s\n", took, error[0] ? error : curl_easy_strerror(result));
        else if (closed || status != 200) printf("%lld\terror: status %ld\n", took, status);
        else printf("%lld\t%lld\n", took, (long long)bytes);
    }
    curl_easy_cleanup(curl);
    curl_global_cleanup();
    return 0;
}
