using System.Text.Json.Serialization;

namespace LightNode.Tests;

/// <summary>What descriptions and clients are made of in tests: each kind of parameter and of result once.</summary>
public class Things : LightNodeContract
{
    public enum Colour
    {
        Red = 1,
        Green = 2,
    }

    [JsonConverter(typeof(JsonStringEnumConverter))]
    public enum Size
    {
        Small,
        Large,
    }

    public class Thing
    {
        public required string Name { get; set; }

        [JsonPropertyName("how-many")]
        public int? Count { get; set; }

        public Colour Colour { get; set; }

        public Size Size { get; set; }

        public string? Note { get; set; }

        public List<Thing> Parts { get; set; } = [];

        public Dictionary<string, decimal> Prices { get; set; } = [];

        public DateTime At { get; set; }
    }

    public Thing Make(string name, Colour colour, int? count = null, string? note = null, Size size = Size.Large) => new()
    {
        Name = name,
        Colour = colour,
        Count = count,
        Note = note,
        Size = size,
        Parts = [new Thing { Name = "part" }],
        Prices = new() { ["EUR"] = 1.50m },
        At = new DateTime(2014, 1, 14, 1, 2, 3, DateTimeKind.Utc),
    };

    [Put]
    public Thing Rename([Body] Thing thing, string name)
    {
        thing.Name = name;
        return thing;
    }

    public Fruits Union(Fruits[] fruits) => fruits.Aggregate((Fruits)0, (all, one) => all | one);

    public string Values(bool flag, long number, double real, decimal amount, DateTime at, TimeSpan span, Guid id, char letter, string @class) =>
        FormattableString.Invariant($"{flag} {number} {real} {amount} {at:O} {span} {id} {letter} {@class}");

    public int Optional(int first = 1, int second = 2) => (10 * first) + second;

    [Post]
    public string[] Posted(string[] texts) => texts;

    [Delete]
    public void Nothing(int id)
    {
    }

    [OperationOption(typeof(TextContentFormatter))]
    public string Text(string text) => text;

    [OperationOption(typeof(OctetStreamContentFormatter))]
    public byte[] Bytes(int n) => Enumerable.Range(0, n).Select(i => (byte)i).ToArray();

    public Task<Dictionary<string, int[]>> Map(CancellationToken cancellation) =>
        Task.FromResult(new Dictionary<string, int[]> { ["a"] = [1, 2] });

    public int Refuse() => throw new ReturnStatusCodeException(409, content: "conflict");

    [IgnoreClientGenerate]
    public int Hidden() => 1;

    public static LightNodeOptions Options { get; } = new(
        AcceptVerbs.Get | AcceptVerbs.Post, new JsonContentFormatter(), new XmlContentFormatter(), new TextContentFormatter());

    public static IReadOnlyList<OperationInfo> Operations { get; } = Contracts.Of(Options, typeof(Things), typeof(Perf), typeof(Coin));
}
