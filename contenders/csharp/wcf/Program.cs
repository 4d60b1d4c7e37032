using System;
using System.Runtime.InteropServices;
using System.ServiceModel.Web;
using System.Threading;

static class Program
{
    static void Main(string[] args)
    {
        if (args.Length > 0 && args[0] == "--version")
        {
            Console.WriteLine(RuntimeInformation.FrameworkDescription);
            return;
        }
        var host = Environment.GetEnvironmentVariable("HOST");
        var port = Environment.GetEnvironmentVariable("PORT");
        var service = new WebServiceHost(typeof(PerfService), new Uri($"http://{host}:{port}/Perf"));
        service.Open();
        Thread.Sleep(Timeout.Infinite);
    }
}
