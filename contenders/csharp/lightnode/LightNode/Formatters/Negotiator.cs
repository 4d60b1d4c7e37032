using Microsoft.Net.Http.Headers;

namespace LightNode;

/// <summary>A formatter with the header values that go with it, made once.</summary>
sealed class FormatterEntry
{
    public FormatterEntry(IContentFormatter formatter, string? vary = null)
    {
        Formatter = formatter;
        ContentType = formatter.Encoding is { } encoding
            ? $"{formatter.MediaType}; charset={encoding.WebName}"
            : formatter.MediaType;
        Vary = vary;
    }

    public IContentFormatter Formatter { get; }

    public string ContentType { get; }

    public string? Vary { get; }
}

/// <summary>Finds the formatter that a request asks for.</summary>
sealed class Negotiator
{
    readonly FormatterEntry[] all;
    readonly bool refuseUnacceptable;
    readonly FormatterEntry[] ofDefaultType;
    readonly bool hasSeveralTypes;
    readonly Dictionary<string, FormatterEntry[]> byExtension;

    public Negotiator(IReadOnlyList<IContentFormatter> formatters, bool refuseUnacceptable)
    {
        this.refuseUnacceptable = refuseUnacceptable;
        hasSeveralTypes = formatters.Any(one => !IsType(one, formatters[0].MediaType));
        var hasEncodings = formatters.Any(one => one.ContentEncoding is not null);
        var vary = (hasSeveralTypes, hasEncodings) switch
        {
            (true, true) => "Accept, Accept-Encoding",
            (true, false) => "Accept",
            (false, true) => "Accept-Encoding",
            _ => null,
        };
        all = formatters.Select(one => new FormatterEntry(one, vary)).ToArray();
        ofDefaultType = OfType(all[0].Formatter.MediaType);
        byExtension = all
            .SelectMany(entry => Extensions(entry.Formatter).Select(extension => (extension, entry)))
            .GroupBy(pair => pair.extension, pair => pair.entry, StringComparer.OrdinalIgnoreCase)
            .ToDictionary(group => group.Key, group => group.ToArray(), StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>The entry of the formatter that an operation is bound to.</summary>
    public static FormatterEntry Forced(IContentFormatter formatter) => new(formatter);

    public static bool HasExtension(IContentFormatter formatter, string extension) =>
        Extensions(formatter).Contains(extension, StringComparer.OrdinalIgnoreCase);

    /// <summary>null where the extension is not known, or where nothing is acceptable and that is refused.</summary>
    public FormatterEntry? Choose(HttpRequest request, string? extension)
    {
        if (extension is not null)
        {
            return byExtension.TryGetValue(extension, out var named) ? ByEncoding(request, named) : null;
        }
        if (!hasSeveralTypes && !refuseUnacceptable)
        {
            return ByEncoding(request, ofDefaultType);
        }
        var accept = request.Headers.Accept;
        if (accept.Count == 0 || !MediaTypeHeaderValue.TryParseList(accept, out var ranges) || ranges.Count == 0)
        {
            return ByEncoding(request, ofDefaultType);
        }
        if (Best(ranges) is { } best)
        {
            return ByEncoding(request, OfType(best.Formatter.MediaType));
        }
        return refuseUnacceptable ? null : ByEncoding(request, ofDefaultType);
    }

    /// <summary>The formatter that reads a body of some content type; null where there is none.</summary>
    public IContentFormatter? ForBody(HttpRequest request)
    {
        if (!MediaTypeHeaderValue.TryParse(request.ContentType, out var type))
        {
            return null;
        }
        string? encoding = request.Headers.ContentEncoding;
        return all.Select(entry => entry.Formatter).FirstOrDefault(one =>
            type.MediaType.Equals(one.MediaType, StringComparison.OrdinalIgnoreCase)
            && string.Equals(encoding, one.ContentEncoding, StringComparison.OrdinalIgnoreCase)
            && (!type.Charset.HasValue || Unquoted(type.Charset).Equals(one.Encoding?.WebName, StringComparison.OrdinalIgnoreCase)));
    }

    static string Unquoted(Microsoft.Extensions.Primitives.StringSegment text) => HeaderUtilities.RemoveQuotes(text).ToString();

    static string[] Extensions(IContentFormatter formatter) =>
        formatter.Ext.Split('|', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    static bool IsType(IContentFormatter formatter, string mediaType) =>
        formatter.MediaType.Equals(mediaType, StringComparison.OrdinalIgnoreCase);

    FormatterEntry[] OfType(string mediaType) => all.Where(entry => IsType(entry.Formatter, mediaType)).ToArray();

    /// <summary>The one that is wanted most; of equals the one whose range stands first, then the one registered first.</summary>
    FormatterEntry? Best(IList<MediaTypeHeaderValue> ranges)
    {
        FormatterEntry? best = null;
        var bestRank = (Quality: 0.0, Place: int.MinValue);
        foreach (var entry in all)
        {
            // The range that says most of a type is the one that counts for it: `text/*;q=0.5, text/html`.
            var match = ranges
                .Select((range, place) => (Fit: Fit(range, entry.Formatter.MediaType), Quality: range.Quality ?? 1, Place: place))
                .Where(match => match.Fit > 0)
                .OrderByDescending(match => match.Fit)
                .FirstOrDefault();
            var rank = (match.Quality, Place: -match.Place);
            if (match is { Fit: > 0, Quality: > 0 } && rank.CompareTo(bestRank) > 0)
            {
                (best, bestRank) = (entry, rank);
            }
        }
        return best;
    }

    /// <summary>3 for the type itself, 2 for <c>text/*</c>, 1 for <c>*/*</c>, 0 for another.</summary>
    static int Fit(MediaTypeHeaderValue range, string mediaType)
    {
        if (range.MatchesAllTypes)
        {
            return 1;
        }
        if (range.MatchesAllSubTypes)
        {
            return mediaType.StartsWith(range.Type.ToString() + "/", StringComparison.OrdinalIgnoreCase) ? 2 : 0;
        }
        return range.MediaType.Equals(mediaType, StringComparison.OrdinalIgnoreCase) ? 3 : 0;
    }

    /// <summary>Of formatters of one type or extension: the encoding that is wanted most, none where none is.</summary>
    static FormatterEntry ByEncoding(HttpRequest request, FormatterEntry[] entries)
    {
        if (entries.Length == 1)
        {
            return entries[0];
        }
        var header = request.Headers.AcceptEncoding;
        var plain = entries.FirstOrDefault(entry => entry.Formatter.ContentEncoding is null) ?? entries[0];
        if (header.Count == 0 || !StringWithQualityHeaderValue.TryParseList(header, out var wanted))
        {
            return plain;
        }
        var (best, bestQuality) = (plain, 0.0);
        foreach (var entry in entries)
        {
            if (entry.Formatter.ContentEncoding is { } encoding && Quality(wanted, encoding) is var quality && quality > bestQuality)
            {
                (best, bestQuality) = (entry, quality);
            }
        }
        // What nobody names is wanted, but less than what somebody names.
        var ofPlain = wanted.FirstOrDefault(value => value.Value.Equals("identity", StringComparison.OrdinalIgnoreCase));
        return ofPlain?.Quality is { } named && named > bestQuality ? plain : best;
    }

    static double Quality(IList<StringWithQualityHeaderValue> wanted, string encoding)
    {
        var value = wanted.FirstOrDefault(value => value.Value.Equals(encoding, StringComparison.OrdinalIgnoreCase))
            ?? wanted.FirstOrDefault(value => value.Value.Equals("*", StringComparison.Ordinal));
        return value is null ? 0 : value.Quality ?? 1;
    }
}
