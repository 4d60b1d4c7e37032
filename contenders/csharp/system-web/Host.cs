using System;
using System.IO;
using System.Net;
using System.Runtime.InteropServices;
using System.Threading;
using System.Web;
using System.Web.Hosting;

/// <summary>Stands where IIS stood: takes requests from HttpListener and hands them to System.Web.</summary>
/// <remarks>System.Web runs a site in an application domain of its own, which is why this is called across domains.</remarks>
public class Host : MarshalByRefObject
{
    // Mono's System.Web holds the thread that brings a request until an asynchronous handler has ended. Were it one of the pool,
    // no thread of the pool would be left, at 20 requests at once, on which those handlers could go on.
    const int Threads = 32;

    static void Main(string[] args)
    {
        if (args[0] == "--version")
        {
            Console.WriteLine(RuntimeInformation.FrameworkDescription);
            return;
        }
        var host = (Host)ApplicationHost.CreateApplicationHost(typeof(Host), "/", Path.GetFullPath(args[0]));
        host.Listen(Environment.GetEnvironmentVariable("HOST"), Environment.GetEnvironmentVariable("PORT"));
    }

    // Without it the proxy in the first domain would expire after five minutes.
    public override object InitializeLifetimeService()
    {
        return null;
    }

    public void Listen(string host, string port)
    {
        var listener = new HttpListener();
        listener.Prefixes.Add($"http://{host}:{port}/");
        listener.Start();
        for (var i = 0; i < Threads; i++)
        {
            new Thread(() => Take(listener)).Start();
        }
    }

    static void Take(HttpListener listener)
    {
        while (true)
        {
            Process(listener.GetContext());
        }
    }

    static void Process(HttpListenerContext context)
    {
        try
        {
            if (IsRefused(context.Request.Url.LocalPath))
            {
                context.Response.StatusCode = 404;
                context.Response.Close();
                return;
            }
            HttpRuntime.ProcessRequest(new WorkerRequest(context));
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            context.Response.Abort();
        }
    }

    // IIS, too, keeps these from System.Web: what cannot be a path, and the assemblies of the site.
    static bool IsRefused(string path)
    {
        return path.IndexOfAny(Path.GetInvalidPathChars()) >= 0
            || path.StartsWith("/bin/", StringComparison.OrdinalIgnoreCase);
    }
}
