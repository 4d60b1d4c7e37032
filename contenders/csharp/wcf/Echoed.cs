using System;
using System.IO;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;

public enum Factor
{
    A = 2,
    B = 3,
    C = 4
}

[DataContract]
public class Echoed
{
    public const int LargestSize = 1024 * 1024;

    [DataMember]
    public string Name { get; set; }

    [DataMember]
    public long Sum { get; set; }

    /// <summary>Its body has <paramref name="size"/> bytes if it would have fewer without the padding.</summary>
    public static Echoed Of(string name, int x, int y, Factor e, int size)
    {
        var echoed = new Echoed { Name = name, Sum = ((long)x + y) * (int)e };
        if (size > 0)
        {
            echoed.Name += new string('x', (int)Math.Max(0, size - echoed.Length()));
        }
        return echoed;
    }

    long Length()
    {
        using (var body = new MemoryStream())
        {
            new DataContractJsonSerializer(typeof(Echoed)).WriteObject(body, this);
            return body.Length;
        }
    }
}
