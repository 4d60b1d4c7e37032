using System;
using System.Text;
using Newtonsoft.Json;

public enum Factor
{
    A = 2,
    B = 3,
    C = 4
}

public class Echoed
{
    public const int LargestSize = 1024 * 1024;

    public string Name { get; set; }

    public long Sum { get; set; }

    /// <summary>Its body has <paramref name="size"/> bytes if it would have fewer without the padding.</summary>
    public static Echoed Of(string name, int x, int y, Factor e, int size)
    {
        var echoed = new Echoed { Name = name, Sum = ((long)x + y) * (int)e };
        if (size > 0)
        {
            var missing = size - Encoding.UTF8.GetByteCount(JsonConvert.SerializeObject(echoed));
            echoed.Name += new string('x', Math.Max(0, missing));
        }
        return echoed;
    }
}
