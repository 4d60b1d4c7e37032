using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

/// <summary>Reads lines "URL TAB OUT" and answers each when its file is saved; a line may hold several such pairs.</summary>
static class Serve
{
    static readonly int AtOnce = int.Parse(Environment.GetEnvironmentVariable("AT_ONCE") ?? "1");

    /// <summary>Answers with nanoseconds and bytes, or with nanoseconds and what went wrong.</summary>
    public static void Lines(Func<string, string, Task> get)
    {
        // Console.In and Console.Out would have the locale's encoding.
        var utf8 = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        using (var input = new StreamReader(Console.OpenStandardInput(), utf8))
        using (var output = new StreamWriter(Console.OpenStandardOutput(), utf8) { AutoFlush = true })
        {
            string line;
            while ((line = input.ReadLine()) != null)
            {
                var fields = line.Split('\t');
                var urls = fields.Where((_, i) => i % 2 == 0).ToArray();
                var paths = fields.Where((_, i) => i % 2 == 1).ToArray();
                var watch = Stopwatch.StartNew();
                try
                {
                    All(urls, paths, get).GetAwaiter().GetResult();
                    watch.Stop();
                    output.WriteLine($"{Nanoseconds(watch)}\t{paths.Sum(path => new FileInfo(path).Length)}");
                }
                catch (Exception error)
                {
                    watch.Stop();
                    var words = Regex.Replace(error.GetType().Name + ": " + error.Message, "\\s+", " ");
                    output.WriteLine($"{Nanoseconds(watch)}\terror: {words}");
                }
            }
        }
    }

    static Task All(string[] urls, string[] paths, Func<string, string, Task> get)
    {
        if (urls.Length == 1)
        {
            return get(urls[0], paths[0]);
        }
        var slots = new SemaphoreSlim(AtOnce);
        return Task.WhenAll(urls.Zip(paths, async (url, path) =>
        {
            await slots.WaitAsync();
            try
            {
                await get(url, path);
            }
            finally
            {
                slots.Release();
            }
        }));
    }

    static long Nanoseconds(Stopwatch watch)
    {
        // A tick is a nanosecond on .NET and 100 on Mono.
        return (long)(watch.ElapsedTicks * (1e9 / Stopwatch.Frequency));
    }
}
