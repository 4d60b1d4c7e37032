using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Runtime.InteropServices;

static class Program
{
    static readonly HttpClient Client = new HttpClient();

    static void Main(string[] args)
    {
        if (args.Length > 0 && args[0] == "--version")
        {
            Console.WriteLine(RuntimeInformation.FrameworkDescription);
            return;
        }
        Serve.Lines(Get);
    }

    static void Get(string url, string path)
    {
        // The body is read when its head is there, and not before it is asked for.
        using (var response = Client.GetAsync(url, HttpCompletionOption.ResponseHeadersRead).GetAwaiter().GetResult())
        {
            if (response.StatusCode != HttpStatusCode.OK)
            {
                throw new HttpRequestException("status " + (int)response.StatusCode);
            }
            using (var file = File.Create(path))
            {
                response.Content.CopyToAsync(file).GetAwaiter().GetResult();
            }
        }
    }
}
