using LightNodeClient;

// Calls a server by the generated client; the last argument is the server's address.
using var http = new HttpClient { BaseAddress = new Uri(args[^1]) };
var client = new Client(http);
var checks = 0;

var echo = await client.Perf.EchoAsync("hogehoge & ほ", 10, 20, MyEnum.A);
Equal("hogehoge & ほ 60", $"{echo.Name} {echo.Sum}");
Equal(100, (await client.Perf.EchoAsync("x", 1, 2, MyEnum.C, size: 100)).Name.Length + "{\"Name\":\"\",\"Sum\":12}".Length);
Equal(9, (await client.Perf.FlagsAsync(Fruits.Apple | Fruits.Date)).Flags);
Equal(6, (await client.Perf.ArrayAsync([1, 2, 3])).Sum);
Equal(0, (await client.Perf.ArrayAsync()).Sum);
await client.Perf.VoidAsync();
Equal(404, await Refused(() => client.Perf.StatusAsync(404)));
Equal(500, await Refused(() => client.Perf.ThrowAsync()));
Equal(400, await Refused(() => client.Perf.EchoAsync("x", 1, 2, (MyEnum)5)));
var wins = 0;
for (var i = 0; i < 100; i++)
{
    wins += (await client.Coin.TossAsync(new Wager { Bet = i % 2 == 0 })).Win ? 1 : 0;
}
Equal(true, wins is > 0 and < 100);

var thing = await client.Things.MakeAsync("thing", Colour.Green, note: "a+b", size: Size.Small);
Equal("thing Green  a+b Small part 1.50", $"{thing.Name} {thing.Colour} {thing.Count} {thing.Note} {thing.Size} {thing.Parts[0].Name} {thing.Prices["EUR"]}");
Equal(new DateTime(2014, 1, 14, 1, 2, 3, DateTimeKind.Utc), thing.At);
thing.Count = 5;
var renamed = await client.Things.RenameAsync(thing, "other");
Equal("other 5 a+b", $"{renamed.Name} {renamed.Count} {renamed.Note}");
Equal(Fruits.Banana | Fruits.Cherry, await client.Things.UnionAsync([Fruits.Banana, Fruits.Cherry]));
Equal(
    "True -9223372036854775808 0.1 1.50 2014-01-14T01:02:03.5000000Z 01:02:03 00000000-0000-0000-0000-000000000001 x y",
    await client.Things.ValuesAsync(
        true, long.MinValue, 0.1, 1.50m, new DateTime(2014, 1, 14, 1, 2, 3, 500, DateTimeKind.Utc), new TimeSpan(1, 2, 3), new Guid(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 'x', "y"));
Equal(12, await client.Things.OptionalAsync());
Equal(15, await client.Things.OptionalAsync(second: 5));
Equal("a,b&c", string.Join(',', await client.Things.PostedAsync(["a", "b&c"])));
await client.Things.NothingAsync(1);
Equal("ほ", await client.Things.TextAsync("ほ"));
Equal("000102", Convert.ToHexString(await client.Things.BytesAsync(3)));
Equal("1,2", string.Join(',', (await client.Things.MapAsync())["a"]));
try
{
    await client.Things.RefuseAsync();
    throw new Exception("expected 409");
}
catch (LightNodeClientException error)
{
    Equal("409 \"conflict\"", $"{error.StatusCode} {error.Body}");
}
using var cancelled = new CancellationTokenSource();
cancelled.Cancel();
try
{
    await client.Things.OptionalAsync(cancellationToken: cancelled.Token);
    throw new Exception("expected to be cancelled");
}
catch (OperationCanceledException)
{
    checks++;
}
Console.WriteLine($"C# client: {checks} checks passed");

void Equal<T>(T expected, T actual)
{
    checks++;
    if (!EqualityComparer<T>.Default.Equals(expected, actual))
    {
        throw new Exception($"check {checks}: expected {expected}, got {actual}");
    }
}

static async Task<int> Refused(Func<Task> call)
{
    try
    {
        await call();
        return 0;
    }
    catch (LightNodeClientException error)
    {
        return error.StatusCode;
    }
}
