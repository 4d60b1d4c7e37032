using System.Globalization;
using System.Numerics;

namespace LightNode;

delegate bool Parse<T>(ReadOnlySpan<char> text, bool takesNames, out T value);

/// <summary>The parser of one type, found once.</summary>
static class Parser<T>
{
    public static readonly Parse<T> Parse = (Parse<T>)Parsers.Of(typeof(T));
}

/// <summary>From text to value, the same in any culture, without blanks around it.</summary>
static class Parsers
{
    static readonly string[] Dates =
    [
        "yyyy-MM-dd",
        "yyyy-MM-dd'T'HH:mmK",
        "yyyy-MM-dd'T'HH:mm:ssK",
        "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK",
    ];

    static readonly Dictionary<Type, Delegate> Known = new()
    {
        [typeof(string)] = (Parse<string>)Text,
        [typeof(bool)] = (Parse<bool>)Boolean,
        [typeof(char)] = (Parse<char>)Character,
        [typeof(sbyte)] = (Parse<sbyte>)Integer,
        [typeof(byte)] = (Parse<byte>)Integer,
        [typeof(short)] = (Parse<short>)Integer,
        [typeof(ushort)] = (Parse<ushort>)Integer,
        [typeof(int)] = (Parse<int>)Integer,
        [typeof(uint)] = (Parse<uint>)Integer,
        [typeof(long)] = (Parse<long>)Integer,
        [typeof(ulong)] = (Parse<ulong>)Integer,
        [typeof(float)] = (Parse<float>)Floating,
        [typeof(double)] = (Parse<double>)Floating,
        [typeof(decimal)] = (Parse<decimal>)Decimal,
        [typeof(DateTime)] = (Parse<DateTime>)Date,
        [typeof(DateTimeOffset)] = (Parse<DateTimeOffset>)DateWithOffset,
        [typeof(TimeSpan)] = (Parse<TimeSpan>)Span,
        [typeof(Guid)] = (Parse<Guid>)Identifier,
    };

    public static bool Has(Type type) => type.IsEnum || Known.ContainsKey(type);

    public static Delegate Of(Type type) =>
        type.IsEnum
            ? (Delegate)typeof(EnumParser<>).MakeGenericType(type).GetField(nameof(EnumParser<DayOfWeek>.Parse))!.GetValue(null)!
            : Known[type];

    static bool Text(ReadOnlySpan<char> text, bool takesNames, out string value)
    {
        value = text.ToString();
        return true;
    }

    static bool Boolean(ReadOnlySpan<char> text, bool takesNames, out bool value)
    {
        value = text.Equals(bool.TrueString, StringComparison.OrdinalIgnoreCase);
        return value || text.Equals(bool.FalseString, StringComparison.OrdinalIgnoreCase);
    }

    static bool Character(ReadOnlySpan<char> text, bool takesNames, out char value)
    {
        value = text.Length == 1 ? text[0] : default;
        return text.Length == 1;
    }

    static bool Integer<T>(ReadOnlySpan<char> text, bool takesNames, out T value) where T : struct, INumber<T> =>
        T.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    /// <summary>What JSON has no number for is none here either.</summary>
    static bool Floating<T>(ReadOnlySpan<char> text, bool takesNames, out T value) where T : struct, INumber<T> =>
        T.TryParse(
            text,
            NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent,
            CultureInfo.InvariantCulture,
            out value)
        && T.IsFinite(value);

    static bool Decimal(ReadOnlySpan<char> text, bool takesNames, out decimal value) =>
        decimal.TryParse(
            text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out value);

    static bool Date(ReadOnlySpan<char> text, bool takesNames, out DateTime value) =>
        DateTime.TryParseExact(text, Dates, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind, out value);

    /// <summary>Without an offset it is of UTC.</summary>
    static bool DateWithOffset(ReadOnlySpan<char> text, bool takesNames, out DateTimeOffset value) =>
        DateTimeOffset.TryParseExact(text, Dates, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out value);

    static bool Span(ReadOnlySpan<char> text, bool takesNames, out TimeSpan value) =>
        TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out value);

    static bool Identifier(ReadOnlySpan<char> text, bool takesNames, out Guid value) =>
        Guid.TryParseExact(text, "D", out value);
}
