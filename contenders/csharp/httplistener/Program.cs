using System;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
#if NEWTONSOFT
using Newtonsoft.Json;
#else
using System.Text.Json;
#endif

static class Program
{
    const int LargestEcho = 16 * 1024 * 1024;

    // A Random is not safe to share between threads; on Mono those made in the same millisecond would also be alike.
    static readonly ThreadLocal<Random> random =
        new ThreadLocal<Random>(() => new Random(Guid.NewGuid().GetHashCode()));

    static void Main(string[] args)
    {
        if (args.Length > 0 && args[0] == "--version")
        {
            Console.WriteLine(RuntimeInformation.FrameworkDescription);
            return;
        }

        var host = Environment.GetEnvironmentVariable("HOST");
        var port = Environment.GetEnvironmentVariable("PORT");
        var listener = new HttpListener();
        listener.Prefixes.Add($"http://{host}:{port}/");
        listener.Start();
        ListenAsync(listener).GetAwaiter().GetResult();
    }

    static async Task ListenAsync(HttpListener listener)
    {
        while (true)
        {
            var context = await listener.GetContextAsync();
            // Not awaited: the next request does not wait for this one.
            _ = Task.Run(() => HandleAsync(context));
        }
    }

    static async Task HandleAsync(HttpListenerContext context)
    {
        try
        {
            await RouteAsync(context.Request, context.Response);
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            context.Response.Abort();
        }
    }

    static Task RouteAsync(HttpListenerRequest request, HttpListenerResponse response)
    {
        var method = request.HttpMethod;
        var path = request.Url.AbsolutePath;
        if (method == "GET" && path == "/")
        {
            return Empty(response, 200);
        }
        if (method == "GET" && EndsAfter(path, "/user/", out var name))
        {
            return Text(response, name);
        }
        if (method == "POST" && path == "/user")
        {
            return Empty(response, 200);
        }
        if (method == "POST" && path == "/coin")
        {
            return CoinAsync(request, response);
        }
        if (method == "GET" && EndsAfter(path, "/wait/", out var ms))
        {
            return WaitAsync(response, ms);
        }
        if (method == "GET" && path == "/Perf/Echo")
        {
            return EchoAsync(request.QueryString, response);
        }
        if (method == "PUT" && EndsAfter(path, "/users/", out var id))
        {
            return UsersAsync(request, response, id);
        }
        return Empty(response, 404);
    }

    static async Task CoinAsync(HttpListenerRequest request, HttpListenerResponse response)
    {
        Wager wager;
        try
        {
            wager = await Json.ReadAsync<Wager>(request.InputStream);
        }
        catch (JsonException)
        {
            wager = null;
        }
        if (wager?.Bet == null)
        {
            await Empty(response, 400);
            return;
        }
        var draw = random.Value.Next(2) == 1;
        await Object(response, new Toss { Win = draw == wager.Bet });
    }

    static Task EchoAsync(NameValueCollection query, HttpListenerResponse response)
    {
        var name = query["name"];
        var x = Integer(query["x"]);
        var y = Integer(query["y"]);
        var e = Integer(query["e"]);
        var size = query["size"] == null ? 0 : Integer(query["size"]);
        if (name == null || x == null || y == null || e == null || e < 2 || e > 4 || size == null || size > LargestEcho)
        {
            return Empty(response, 400);
        }
        var echoed = new Echoed { Name = name, Sum = ((long)x + (long)y) * (long)e };
        if (size > 0)
        {
            var missing = (int)size - Json.Write(echoed).Length;
            echoed.Name += new string('x', Math.Max(0, missing));
        }
        return Object(response, echoed);
    }

    static async Task WaitAsync(HttpListenerResponse response, string text)
    {
        var ms = WholeNumber(text);
        if (ms == null || ms > 60000)
        {
            await Empty(response, 400);
            return;
        }
        // Task.Delay may end up to a tick of the kernel's clock early.
        var watch = Stopwatch.StartNew();
        for (long left = ms.Value; left > 0; left = ms.Value - watch.ElapsedMilliseconds)
        {
            await Task.Delay((int)left);
        }
        await Text(response, $"waited {text}");
    }

    static async Task UsersAsync(HttpListenerRequest request, HttpListenerResponse response, string text)
    {
        Credentials credentials;
        try
        {
            credentials = await Json.ReadAsync<Credentials>(request.InputStream);
        }
        catch (JsonException)
        {
            credentials = null;
        }
        var id = WholeNumber(text);
        if (id == null || credentials?.Password == null)
        {
            await Empty(response, 400);
            return;
        }

        List<User> users;
        using (var file = File.OpenRead(Path.Combine(Environment.GetEnvironmentVariable("DATA_DIR"), "user.json")))
        {
            users = await Json.ReadAsync<List<User>>(file);
        }
        if (users.Find(user => user.Id == id) == null)
        {
            await Empty(response, 404);
            return;
        }
        await Object(response, new Hashed { Hash = Hash(credentials.Password) });
    }

    static string Hash(string password)
    {
        using (var sha512 = SHA512.Create())
        {
            var hash = sha512.ComputeHash(Encoding.UTF8.GetBytes(password));
            return BitConverter.ToString(hash).Replace("-", "").ToLowerInvariant();
        }
    }

    static bool EndsAfter(string path, string prefix, out string rest)
    {
        rest = path.StartsWith(prefix, StringComparison.Ordinal) ? path.Substring(prefix.Length) : "";
        return rest != "" && rest.IndexOf('/') < 0;
    }

    static int? WholeNumber(string text)
    {
        var whole = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number);
        return whole ? number : (int?)null;
    }

    static int? Integer(string text)
    {
        var parsed = int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number);
        return parsed ? number : (int?)null;
    }

    static Task Empty(HttpListenerResponse response, int status)
    {
        response.StatusCode = status;
        response.ContentLength64 = 0;
        response.Close();
        return Task.CompletedTask;
    }

    static Task Text(HttpListenerResponse response, string text)
    {
        return Send(response, "text/plain; charset=utf-8", Encoding.UTF8.GetBytes(text));
    }

    static Task Object<T>(HttpListenerResponse response, T value)
    {
        return Send(response, "application/json", Json.Write(value));
    }

    static Task Send(HttpListenerResponse response, string type, byte[] body)
    {
        response.ContentType = type;
        response.ContentLength64 = body.Length;
        response.OutputStream.Write(body, 0, body.Length);
        response.Close();
        return Task.CompletedTask;
    }
}
