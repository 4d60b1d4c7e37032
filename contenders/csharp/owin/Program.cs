using System;
using System.Runtime.InteropServices;

static class Program
{
    static int Main(string[] args)
    {
        if (args.Length == 1 && args[0] == "--version")
        {
            Console.WriteLine(RuntimeInformation.FrameworkDescription);
            return 0;
        }
        if (args.Length != 2 || (args[1] != "sync" && args[1] != "async"))
        {
            return Usage();
        }
        var app = RawHandler.Of(Echo.Answer, synchronous: args[1] == "sync");
        var host = Environment.GetEnvironmentVariable("HOST");
        var port = int.Parse(Environment.GetEnvironmentVariable("PORT"));
        switch (args[0])
        {
            case "listener":
                ListenerHost.RunAsync(host, port, app).GetAwaiter().GetResult();
                return 0;
            case "sockets":
                SocketsHost.RunAsync(host, port, app).GetAwaiter().GetResult();
                return 0;
            default:
                return Usage();
        }
    }

    static int Usage()
    {
        Console.Error.WriteLine("usage: owin listener|sockets sync|async, with HOST and PORT in the environment");
        return 2;
    }
}
