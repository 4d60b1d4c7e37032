using System;
using System.Diagnostics;
using System.IO;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>Reads lines "URL TAB OUT" and answers each when its file is saved.</summary>
static class Serve
{
    /// <summary>Answers with nanoseconds and bytes, or with nanoseconds and what went wrong.</summary>
    public static void Lines(Action<string, string> get)
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
                var watch = Stopwatch.StartNew();
                try
                {
                    get(fields[0], fields[1]);
                    watch.Stop();
                    output.WriteLine($"{Nanoseconds(watch)}\t{new FileInfo(fields[1]).Length}");
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

    static long Nanoseconds(Stopwatch watch)
    {
        // A tick is a nanosecond on .NET and 100 on Mono.
        return (long)(watch.ElapsedTicks * (1e9 / Stopwatch.Frequency));
    }
}
