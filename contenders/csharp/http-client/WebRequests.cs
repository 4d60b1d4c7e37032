using System;
using System.IO;
using System.Net;
using System.Threading.Tasks;

static class WebRequests
{
    static void Main()
    {
        Serve.Lines(Get);
    }

    static Task Get(string url, string path)
    {
        using (var response = (HttpWebResponse)WebRequest.Create(url).GetResponse())
        {
            if (response.StatusCode != HttpStatusCode.OK)
            {
                throw new WebException("status " + (int)response.StatusCode);
            }
            using (var body = response.GetResponseStream())
            using (var file = File.Create(path))
            {
                body.CopyTo(file);
            }
        }
        return Task.CompletedTask;
    }
}
