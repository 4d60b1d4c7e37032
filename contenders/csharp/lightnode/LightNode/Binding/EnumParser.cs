using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace LightNode;

/// <summary>Takes the values that an enum defines and no others; of flags any that lie within the defined bits, so nothing, too.</summary>
static class EnumParser<T> where T : struct, Enum
{
    public static readonly Parse<T> Parse = TryParse;

    static readonly bool IsSigned =
        Type.GetTypeCode(typeof(T)) is TypeCode.SByte or TypeCode.Int16 or TypeCode.Int32 or TypeCode.Int64;

    static readonly bool IsFlags = typeof(T).IsDefined(typeof(FlagsAttribute));

    /// <summary>Two names may mean one value.</summary>
    static readonly (string Name, ulong Bits)[] Fields = Enum.GetNames<T>().Zip(Enum.GetValues<T>().Select(ToBits)).ToArray();

    static readonly ulong[] Defined = Fields.Select(field => field.Bits).Distinct().ToArray();

    static readonly ulong Mask = Defined.Aggregate(0UL, (mask, bits) => mask | bits);

    static bool TryParse(ReadOnlySpan<char> text, bool takesNames, out T value)
    {
        var isRight = TryNumber(text, out var bits) ? IsDefined(bits) : takesNames && TryNames(text, out bits);
        value = isRight ? FromBits(bits) : default;
        return isRight;
    }

    static bool TryNumber(ReadOnlySpan<char> text, out ulong bits)
    {
        if (!IsSigned)
        {
            return ulong.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out bits);
        }
        var done = long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number);
        bits = (ulong)number;
        return done;
    }

    static bool IsDefined(ulong bits) => IsFlags
        // A mask with a sign reaches beyond the type: such a number must still be one of it.
        ? (bits & ~Mask) == 0 && ToBits(FromBits(bits)) == bits
        : Array.IndexOf(Defined, bits) >= 0;

    static bool TryNames(ReadOnlySpan<char> text, out ulong bits)
    {
        bits = 0;
        while (true)
        {
            var comma = IsFlags ? text.IndexOf(',') : -1;
            if (!TryName(comma < 0 ? text : text[..comma], out var named))
            {
                return false;
            }
            bits |= named;
            if (comma < 0)
            {
                return true;
            }
            text = text[(comma + 1)..];
        }
    }

    static bool TryName(ReadOnlySpan<char> text, out ulong bits)
    {
        foreach (var field in Fields)
        {
            if (text.Equals(field.Name, StringComparison.OrdinalIgnoreCase))
            {
                bits = field.Bits;
                return true;
            }
        }
        bits = 0;
        return false;
    }

    /// <summary>A negative value keeps its sign, so that it is the same as the number that is read.</summary>
    static ulong ToBits(T value) => (Unsafe.SizeOf<T>(), IsSigned) switch
    {
        (1, true) => (ulong)Unsafe.BitCast<T, sbyte>(value),
        (1, false) => Unsafe.BitCast<T, byte>(value),
        (2, true) => (ulong)Unsafe.BitCast<T, short>(value),
        (2, false) => Unsafe.BitCast<T, ushort>(value),
        (4, true) => (ulong)Unsafe.BitCast<T, int>(value),
        (4, false) => Unsafe.BitCast<T, uint>(value),
        _ => Unsafe.BitCast<T, ulong>(value),
    };

    static T FromBits(ulong bits) => Unsafe.SizeOf<T>() switch
    {
        1 => Unsafe.BitCast<byte, T>((byte)bits),
        2 => Unsafe.BitCast<ushort, T>((ushort)bits),
        4 => Unsafe.BitCast<uint, T>((uint)bits),
        _ => Unsafe.BitCast<ulong, T>(bits),
    };
}
