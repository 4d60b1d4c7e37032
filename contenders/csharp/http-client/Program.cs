using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

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
        Serve.Lines(GetAsync);
    }

    static async Task GetAsync(string url, string path)
    {
        // The body is read when its head is there, and not before it is asked for.
        using (var response = await Client.GetAsync(url, HttpCompletionOption.ResponseHeadersRead))
        {
            if (response.StatusCode != HttpStatusCode.OK)
            {
                throw new HttpRequestException("status " + (int)response.StatusCode);
            }
            using (var file = File.Create(path))
            {
                await response.Content.CopyToAsync(file);
            }
        }
    }
}
