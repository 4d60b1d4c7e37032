namespace LightNode;

/// <summary>From texts to values by the kind of a parameter. What an operation is compiled to calls these.</summary>
static class Bind
{
    public static bool Required<T>(Arguments arguments, int parameter, out T value)
    {
        if (arguments.Has(parameter))
        {
            return Parser<T>.Parse(arguments.First(parameter).Span, arguments.TakesNames, out value);
        }
        value = default!;
        return false;
    }

    public static bool Optional<T>(Arguments arguments, int parameter, T fallback, out T value)
    {
        if (arguments.Has(parameter))
        {
            return Parser<T>.Parse(arguments.First(parameter).Span, arguments.TakesNames, out value);
        }
        value = fallback;
        return true;
    }

    public static bool Nullable<T>(Arguments arguments, int parameter, T? fallback, out T? value) where T : struct
    {
        if (!arguments.Has(parameter))
        {
            value = fallback;
            return true;
        }
        var done = Parser<T>.Parse(arguments.First(parameter).Span, arguments.TakesNames, out var parsed);
        value = parsed;
        return done;
    }

    public static bool Text(Arguments arguments, int parameter, out string value)
    {
        var has = arguments.Has(parameter);
        value = has ? arguments.First(parameter).ToString() : "";
        return has;
    }

    public static bool OptionalText(Arguments arguments, int parameter, string? fallback, out string? value)
    {
        value = arguments.Has(parameter) ? arguments.First(parameter).ToString() : fallback;
        return true;
    }

    public static bool Array<T>(Arguments arguments, int parameter, out T[] values)
    {
        var count = arguments.Count(parameter);
        if (count == 0)
        {
            values = [];
            return true;
        }
        values = new T[count];
        if (!Parser<T>.Parse(arguments.First(parameter).Span, arguments.TakesNames, out values[0]))
        {
            return false;
        }
        if (count == 1)
        {
            return true;
        }
        var place = 1;
        foreach (var text in arguments.Rest(parameter))
        {
            if (!Parser<T>.Parse(text.Span, arguments.TakesNames, out values[place]))
            {
                return false;
            }
            place++;
        }
        return true;
    }

    public static bool Body<T>(Arguments arguments, out T value)
    {
        var has = arguments.Body is T;
        value = has ? (T)arguments.Body! : default!;
        return has;
    }
}
