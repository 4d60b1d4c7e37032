using System.Net;
using System.Text;

namespace LightNode;

/// <summary>A page that lists operations, without scripts.</summary>
public static class OperationsPage
{
    const string Style =
        "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
        + "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid #8884}"
        + "code{font-family:ui-monospace,monospace}";

    public static string Of(IReadOnlyList<OperationInfo> operations, string title, string document)
    {
        var page = new StringBuilder();
        page.Append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
            .Append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
            .Append($"<meta name=\"color-scheme\" content=\"light dark\">\n<title>{Html(title)}</title>\n<style>{Style}</style>\n</head>\n<body>\n")
            .Append($"<h1>{Html(title)}</h1>\n<p>{operations.Count} operations; <a href=\"{Html(document)}\">OpenAPI 3.1 document</a></p>\n")
            .Append("<table>\n<thead><tr><th scope=\"col\">Operation</th><th scope=\"col\">Methods</th><th scope=\"col\">Parameters</th><th scope=\"col\">Result</th></tr></thead>\n<tbody>\n");
        foreach (var operation in operations)
        {
            var parameters = operation.Parameters.Where(parameter => parameter.Source != ParameterSource.Server).Select(Parameter);
            page.Append($"<tr><td><code>{Html(operation.Path)}</code></td><td>{Verbs.Allow(operation.Verbs)}</td>")
                .Append($"<td>{string.Join("<br>", parameters)}</td><td>{Html(operation.ResultType is { } result ? NameOf(result) : "none (204)")}</td></tr>\n");
        }
        return page.Append("</tbody>\n</table>\n</body>\n</html>\n").ToString();
    }

    static string Parameter(OperationParameter parameter)
    {
        var note = parameter.Source == ParameterSource.Body ? "the body"
            : parameter.IsRequired ? "required"
            : parameter.Element is not null ? "any number of times"
            : parameter.Default is { } value ? $"default {value}"
            : "optional";
        return $"<code>{Html(parameter.Name)}</code>: {Html(NameOf(parameter.Type))}, {Html(note)}";
    }

    static string NameOf(Type type)
    {
        if (type.IsArray)
        {
            return NameOf(type.GetElementType()!) + "[]";
        }
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return NameOf(underlying) + "?";
        }
        return type.IsGenericType
            ? $"{type.Name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(NameOf))}>"
            : type.Name;
    }

    static string Html(string text) => WebUtility.HtmlEncode(text);
}
