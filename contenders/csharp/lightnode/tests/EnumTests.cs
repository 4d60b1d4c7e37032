namespace LightNode.Tests;

[Tests]
static class EnumTests
{
    public enum Plain
    {
        One = 1,
        Ten = 10,
        Zehn = 10,
        Hundred = 100,
    }

    [Flags]
    public enum Bits : ulong
    {
        A = 1,
        B = 2,
        Top = 1UL << 63,
    }

    public enum Signed : sbyte
    {
        Low = -128,
        None = 0,
    }

    [Flags]
    public enum SignedBits
    {
        A = 1,
        Sign = int.MinValue,
    }

    public enum Small : byte
    {
        Most = 255,
    }

    public class Enums : LightNodeContract
    {
        public int Plain(Plain e) => (int)e;

        public int Flags(Fruits f) => (int)f;

        public ulong Bits(Bits f) => (ulong)f;

        public int Signed(Signed e) => (int)e;

        public int SignedBits(SignedBits f) => (int)f;

        public int Small(Small e) => (int)e;

        public int? Maybe(Plain? e) => (int?)e;

        public int[] Many(Plain[] e) => e.Select(one => (int)one).ToArray();
    }

    public static async Task An_enum_takes_defined_numbers_only()
    {
        await using var server = await TestServer.Start(null, typeof(Enums));
        await Both(server, "Plain", "e", ["1", "10", "100", "+10"], ["0", "5", "-1", "11", "101", "4294967306", "", "1.0", "%2010", "0x1", "One"]);
        await Both(server, "Signed", "e", ["-128", "0"], ["128", "-129", "1"]);
        await Both(server, "Small", "e", ["255"], ["-1", "0", "256", "511"]);
        await server.Expect("/Enums/Plain", 400);
    }

    public static async Task Flags_take_what_lies_within_the_defined_bits()
    {
        await using var server = await TestServer.Start(null, typeof(Enums));
        await Both(server, "Flags", "f", ["0", "1", "7", "15"], ["16", "100", "-1", "Apple", ""]);
        await Both(server, "Bits", "f", ["0", "3", "9223372036854775811"], ["4", "-1", "18446744073709551616"]);
        await Both(server, "SignedBits", "f", ["1", "-2147483648", "-2147483647"], ["2", "-1", "2147483648"]);
    }

    public static async Task Names_are_taken_where_the_option_says_so_and_several_for_flags()
    {
        await using var server = await TestServer.Start(
            new LightNodeOptions { ParameterEnumAllowsFieldNameParse = true }, typeof(Enums));
        await server.Expect("/Enums/Plain?e=Ten", 200, "10");
        await server.Expect("/Enums/Plain?e=zehn", 200, "10");
        await server.Expect("/Enums/Plain?e=1", 200, "1");
        await server.Expect("/Enums/Flags?f=apple,Date", 200, "9");
        await server.Expect("/Enums/Bits?f=Top,A", 200, "9223372036854775809");
        await Both(server, "Plain", "e", [], ["Eleven", "One,Ten", "5", "", ",", "One%20"]);
        await Both(server, "Flags", "f", ["3"], ["Apple,", ",", "Apple,Elder", "Apple,2", "16"]);
    }

    public static async Task Enums_that_may_be_null_and_arrays_of_enums_are_as_strict()
    {
        await using var server = await TestServer.Start(null, typeof(Enums));
        await server.Expect("/Enums/Maybe", 200, "null");
        await server.Expect("/Enums/Maybe?e=10", 200, "10");
        await server.Expect("/Enums/Maybe?e=5", 400);
        await server.Expect("/Enums/Many", 200, "[]");
        await server.Expect("/Enums/Many?e=1&e=100", 200, "[1,100]");
        await server.Expect("/Enums/Many?e=1&e=5", 400);
    }

    static async Task Both(TestServer server, string operation, string name, string[] good, string[] bad)
    {
        foreach (var text in good)
        {
            await server.Expect($"/Enums/{operation}?{name}={Uri.EscapeDataString(text)}", 200, text.TrimStart('+'));
        }
        foreach (var text in bad)
        {
            await server.Expect($"/Enums/{operation}?{name}={text}", 400);
        }
    }
}
