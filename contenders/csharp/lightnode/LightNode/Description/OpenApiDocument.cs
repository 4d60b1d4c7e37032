using System.Globalization;
using System.Text.Json.Nodes;

namespace LightNode;

/// <summary>Operations as OpenAPI 3.1 has them.</summary>
public static class OpenApiDocument
{
    const string Form = "application/x-www-form-urlencoded";

    public static JsonObject Of(IReadOnlyList<OperationInfo> operations, LightNodeOptions options, string title, string version)
    {
        var schemas = new Schemas(options);
        var paths = new JsonObject();
        foreach (var operation in operations)
        {
            var path = new JsonObject();
            foreach (var verb in Verbs.Each(operation.Verbs))
            {
                path[verb.ToString().ToLowerInvariant()] = Operation(operation, verb, options, schemas);
            }
            paths[operation.Path] = path;
        }
        return new JsonObject
        {
            ["openapi"] = "3.1.0",
            ["info"] = new JsonObject { ["title"] = title, ["version"] = version },
            ["paths"] = paths,
            ["components"] = new JsonObject { ["schemas"] = schemas.Components() },
        };
    }

    static JsonObject Operation(OperationInfo operation, AcceptVerbs verb, LightNodeOptions options, Schemas schemas)
    {
        var values = operation.Parameters.Where(parameter => parameter.Source == ParameterSource.Value).ToArray();
        // A body is either the one parameter or a form, and beside the one the values stand in the query.
        var isForm = verb != AcceptVerbs.Get && operation.Body is null && values.Length > 0;
        var described = new JsonObject
        {
            ["operationId"] = $"{operation.ContractName}_{operation.OperationName}_{verb}",
            ["tags"] = new JsonArray(operation.ContractName),
        };
        if (values.Length > 0 && !isForm)
        {
            described["parameters"] = new JsonArray(values.Select(parameter => (JsonNode)new JsonObject
            {
                ["name"] = parameter.Name,
                ["in"] = "query",
                ["required"] = parameter.IsRequired,
                ["schema"] = schemas.OfParameter(parameter),
            }).ToArray());
        }
        if (operation.Body is { } body)
        {
            described["requestBody"] = new JsonObject
            {
                ["required"] = true,
                ["content"] = Content(options.Formatters, () => schemas.Of(body.Type)),
            };
        }
        else if (isForm)
        {
            described["requestBody"] = new JsonObject
            {
                ["required"] = values.Any(parameter => parameter.IsRequired),
                ["content"] = new JsonObject { [Form] = new JsonObject { ["schema"] = FormOf(values, schemas) } },
            };
        }
        described["responses"] = Responses(operation, options, schemas);
        return described;
    }

    static JsonObject FormOf(OperationParameter[] values, Schemas schemas) => new()
    {
        ["type"] = "object",
        ["properties"] = new JsonObject(
            values.Select(parameter => KeyValuePair.Create(parameter.Name, (JsonNode?)schemas.OfParameter(parameter)))),
        ["required"] = new JsonArray(
            values.Where(parameter => parameter.IsRequired).Select(parameter => (JsonNode)parameter.Name).ToArray()),
    };

    static JsonObject Responses(OperationInfo operation, LightNodeOptions options, Schemas schemas)
    {
        var responses = new JsonObject();
        if (operation.ResultType is { } result)
        {
            var formatters = operation.Formatter is { } forced ? [forced] : options.Formatters;
            responses["200"] = new JsonObject
            {
                ["description"] = "the result",
                ["content"] = Content(formatters, () => schemas.Of(result)),
            };
        }
        else
        {
            responses["204"] = new JsonObject { ["description"] = "done; there is no result" };
        }
        if (operation.Parameters.Any(parameter => parameter.Source != ParameterSource.Server))
        {
            responses["400"] = new JsonObject
            {
                ["description"] = "a parameter is missing or cannot be read",
                ["content"] = new JsonObject { ["application/problem+json"] = new JsonObject { ["schema"] = schemas.Problem() } },
            };
        }
        return responses;
    }

    /// <summary>Bytes have no schema in 3.1; text is a string whatever the value is.</summary>
    static JsonObject Content(IEnumerable<IContentFormatter> formatters, Func<JsonObject> schema)
    {
        var content = new JsonObject();
        foreach (var formatter in formatters)
        {
            content[formatter.MediaType] = formatter.MediaType switch
            {
                "application/json" or "application/xml" => new JsonObject { ["schema"] = schema() },
                var type when type.StartsWith("text/", StringComparison.Ordinal) =>
                    new JsonObject { ["schema"] = new JsonObject { ["type"] = "string" } },
                _ => new JsonObject(),
            };
        }
        return content;
    }
}

/// <summary>Types as JSON Schema has them.</summary>
sealed class Schemas(LightNodeOptions options)
{
    readonly TypeModels models = new(options);
    bool hasProblem;

    public JsonObject Of(Type type) => Of(models.Of(type));

    /// <summary>A parameter as it stands in a query: enums by number, and by name where that is allowed.</summary>
    public JsonObject OfParameter(OperationParameter parameter)
    {
        var type = parameter.Element ?? parameter.Underlying ?? parameter.Type;
        var schema = type.IsEnum ? EnumParameter(type) : Of(models.Of(type));
        if (parameter.Element is not null)
        {
            return new JsonObject { ["type"] = "array", ["items"] = schema };
        }
        if (parameter is { HasDefault: true, Default: { } value })
        {
            schema["default"] = value switch
            {
                bool flag => flag,
                Enum other => (JsonNode)Number(other),
                sbyte or byte or short or ushort or int or uint or long or ulong => Number(value),
                float or double => Convert.ToDouble(value, CultureInfo.InvariantCulture),
                decimal number => number,
                _ => Convert.ToString(value, CultureInfo.InvariantCulture),
            };
        }
        return schema;
    }

    public JsonObject Problem()
    {
        hasProblem = true;
        return Reference("Problem");
    }

    public JsonObject Components()
    {
        var components = new JsonObject();
        // A type that is described may name others.
        for (var done = -1; done < components.Count;)
        {
            done = components.Count;
            foreach (var (name, type) in models.Named.ToArray())
            {
                if (!components.ContainsKey(name))
                {
                    components[name] = type.IsEnum ? Enumeration(type) : Object(type);
                }
            }
        }
        if (hasProblem && !components.ContainsKey("Problem"))
        {
            components["Problem"] = new JsonObject
            {
                ["type"] = "object",
                ["properties"] = new JsonObject
                {
                    ["title"] = new JsonObject { ["type"] = "string" },
                    ["status"] = new JsonObject { ["type"] = "integer" },
                    ["detail"] = new JsonObject { ["type"] = "string" },
                },
                ["required"] = new JsonArray("title", "status"),
            };
        }
        return components;
    }

    static JsonNode Number(object value) =>
        JsonValue.Create(Convert.ToDecimal(value is Enum ? Convert.ChangeType(value, Enum.GetUnderlyingType(value.GetType()), CultureInfo.InvariantCulture) : value, CultureInfo.InvariantCulture));

    static JsonObject Reference(string name) => new() { ["$ref"] = $"#/components/schemas/{name}" };

    JsonObject EnumParameter(Type type)
    {
        var isFlags = type.IsDefined(typeof(FlagsAttribute), false);
        var values = Enum.GetValues(type).Cast<object>().Distinct().ToArray();
        var schema = new JsonObject { ["type"] = "integer" };
        if (isFlags)
        {
            schema["description"] = "a sum of " + string.Join(", ", values.Select(value => $"{Number(value)} ({value})"));
        }
        else
        {
            schema["enum"] = new JsonArray(values.Select(Number).ToArray());
            schema["x-enum-varnames"] = new JsonArray(values.Select(value => (JsonNode)value.ToString()!).ToArray());
        }
        if (!options.ParameterEnumAllowsFieldNameParse)
        {
            return schema;
        }
        var names = new JsonObject { ["type"] = "string" };
        if (isFlags)
        {
            names["description"] = "names between commas, of " + string.Join(", ", Enum.GetNames(type));
        }
        else
        {
            names["enum"] = new JsonArray(Enum.GetNames(type).Select(name => (JsonNode)name).ToArray());
        }
        return new JsonObject { ["anyOf"] = new JsonArray(schema, names) };
    }

    JsonObject Enumeration(Type type)
    {
        var isText = models.IsTextInJson(type);
        if (type.IsDefined(typeof(FlagsAttribute), false))
        {
            return new JsonObject { ["type"] = isText ? "string" : "integer" };
        }
        return new JsonObject
        {
            ["type"] = isText ? "string" : "integer",
            ["enum"] = new JsonArray(isText
                ? Enum.GetNames(type).Select(name => (JsonNode)name).ToArray()
                : Enum.GetValues(type).Cast<object>().Distinct().Select(Number).ToArray()),
        };
    }

    JsonObject Object(Type type)
    {
        var properties = models.PropertiesOf(type);
        var schema = new JsonObject
        {
            ["type"] = "object",
            ["properties"] = new JsonObject(
                properties.Select(property => KeyValuePair.Create(property.JsonName, (JsonNode?)Of(property.Type)))),
        };
        if (properties.Any(property => property.IsRequired))
        {
            schema["required"] = new JsonArray(
                properties.Where(property => property.IsRequired).Select(property => (JsonNode)property.JsonName).ToArray());
        }
        return schema;
    }

    JsonObject Of(TypeModel model)
    {
        var schema = model.Shape switch
        {
            Shape.Text => Text(model.Type),
            Shape.Boolean => new JsonObject { ["type"] = "boolean" },
            Shape.Integer => Integer(model.Type),
            Shape.Number => new JsonObject { ["type"] = "number" },
            Shape.Array => new JsonObject { ["type"] = "array", ["items"] = Of(model.Element!) },
            Shape.Map => new JsonObject { ["type"] = "object", ["additionalProperties"] = Of(model.Element!) },
            Shape.Enum or Shape.Object => Reference(model.Name),
            _ => new JsonObject(),
        };
        if (!model.IsNullable || model.Shape == Shape.Anything)
        {
            return schema;
        }
        return new JsonObject { ["anyOf"] = new JsonArray(schema, new JsonObject { ["type"] = "null" }) };
    }

    static JsonObject Text(Type type)
    {
        var schema = new JsonObject { ["type"] = "string" };
        if (type == typeof(DateTime) || type == typeof(DateTimeOffset))
        {
            schema["format"] = "date-time";
        }
        else if (type == typeof(Guid))
        {
            schema["format"] = "uuid";
        }
        else if (type == typeof(byte[]))
        {
            schema["contentEncoding"] = "base64";
        }
        else if (type == typeof(char))
        {
            (schema["minLength"], schema["maxLength"]) = (1, 1);
        }
        return schema;
    }

    static JsonObject Integer(Type type)
    {
        var schema = new JsonObject { ["type"] = "integer" };
        if (type == typeof(int) || type == typeof(long))
        {
            schema["format"] = type == typeof(int) ? "int32" : "int64";
            return schema;
        }
        schema["minimum"] = Number(type.GetField("MinValue")!.GetValue(null)!);
        schema["maximum"] = Number(type.GetField("MaxValue")!.GetValue(null)!);
        return schema;
    }
}
