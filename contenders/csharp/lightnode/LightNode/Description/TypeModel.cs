using System.Reflection;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace LightNode;

enum Shape
{
    Text,
    Boolean,
    Integer,
    Number,
    Enum,
    Array,
    Map,
    Object,
    Anything,
}

/// <summary>A property as JSON has it.</summary>
sealed record ModelProperty(string JsonName, string MemberName, TypeModel Type, bool IsRequired);

/// <summary>A type as it stands in JSON, with what a description and a client need of it.</summary>
sealed class TypeModel
{
    public required Type Type { get; init; }

    public required Shape Shape { get; init; }

    public bool IsNullable { get; init; }

    /// <summary>Of an array or a map.</summary>
    public TypeModel? Element { get; init; }

    /// <summary>Of an enum or an object.</summary>
    public string Name { get; init; } = "";
}

/// <summary>The types of operations, each named one once.</summary>
sealed class TypeModels(LightNodeOptions options)
{
    static readonly HashSet<Type> Texts =
        [typeof(string), typeof(char), typeof(DateTime), typeof(DateTimeOffset), typeof(TimeSpan), typeof(Guid), typeof(Uri), typeof(byte[]), typeof(DateOnly), typeof(TimeOnly)];

    static readonly HashSet<Type> Integers =
        [typeof(sbyte), typeof(byte), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long), typeof(ulong)];

    static readonly HashSet<Type> Numbers = [typeof(float), typeof(double), typeof(decimal)];

    readonly JsonSerializerOptions json =
        options.Formatters.OfType<JsonContentFormatter>().FirstOrDefault()?.Options ?? new JsonContentFormatter().Options;

    readonly NullabilityInfoContext nullability = new();
    readonly SortedDictionary<string, Type> named = new(StringComparer.Ordinal);
    readonly Dictionary<Type, ModelProperty[]> properties = [];

    /// <summary>The enums and objects that were met so far, by name.</summary>
    public IReadOnlyCollection<KeyValuePair<string, Type>> Named => named;

    public IReadOnlyList<ModelProperty> PropertiesOf(Type type) => properties[type];

    /// <summary>Whether the values of an enum are names in JSON.</summary>
    public bool IsTextInJson(Type type) =>
        JsonSerializer.Serialize(Enum.GetValues(type).GetValue(0), type, json).StartsWith('"');

    public TypeModel Of(Type type, bool isNullable = false)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Of(underlying, isNullable: true);
        }
        if (type.IsEnum && Enum.GetNames(type).Length > 0)
        {
            return new TypeModel { Type = type, Shape = Shape.Enum, IsNullable = isNullable, Name = NameOf(type) };
        }
        if (Scalar(type) is { } shape)
        {
            return new TypeModel { Type = type, Shape = shape, IsNullable = isNullable };
        }
        var info = json.GetTypeInfo(type);
        return info.Kind switch
        {
            JsonTypeInfoKind.Enumerable => new TypeModel { Type = type, Shape = Shape.Array, IsNullable = isNullable, Element = Of(ElementOf(type, typeof(IEnumerable<>), 0)) },
            JsonTypeInfoKind.Dictionary => new TypeModel { Type = type, Shape = Shape.Map, IsNullable = isNullable, Element = Of(ElementOf(type, typeof(IEnumerable<>), 1)) },
            JsonTypeInfoKind.Object when type != typeof(object) => Object(type, info, isNullable),
            _ => new TypeModel { Type = type, Shape = Shape.Anything, IsNullable = isNullable },
        };
    }

    static Shape? Scalar(Type type) =>
        Texts.Contains(type) ? Shape.Text
        : type == typeof(bool) ? Shape.Boolean
        : Integers.Contains(type) ? Shape.Integer
        : Numbers.Contains(type) ? Shape.Number
        : null;

    TypeModel Object(Type type, JsonTypeInfo info, bool isNullable)
    {
        var model = new TypeModel { Type = type, Shape = Shape.Object, IsNullable = isNullable, Name = NameOf(type) };
        // A type may hold itself.
        if (properties.TryAdd(type, []))
        {
            properties[type] = info.Properties
                .Where(property => property.Get is not null)
                .Select(property => new ModelProperty(
                    property.Name,
                    (property.AttributeProvider as MemberInfo)?.Name ?? property.Name,
                    Of(property.PropertyType, AllowsNull(property)),
                    property.IsRequired))
                .ToArray();
        }
        return model;
    }

    bool AllowsNull(JsonPropertyInfo property) => property.AttributeProvider switch
    {
        _ when property.PropertyType.IsValueType => Nullable.GetUnderlyingType(property.PropertyType) is not null,
        PropertyInfo member => nullability.Create(member).ReadState != NullabilityState.NotNull,
        FieldInfo member => nullability.Create(member).ReadState != NullabilityState.NotNull,
        _ => true,
    };

    string NameOf(Type type)
    {
        var plain = type.Name.Split('`')[0];
        var name = type.IsGenericType ? plain + "Of" + string.Join("And", type.GetGenericArguments().Select(one => one.Name.Split('`')[0])) : plain;
        if (named.TryGetValue(name, out var other) && other != type)
        {
            throw new InvalidOperationException($"{type} and {other} would both be called {name}; expected another name for one of them");
        }
        named[name] = type;
        return name;
    }

    static Type ElementOf(Type type, Type definition, int last)
    {
        if (type.IsArray)
        {
            return type.GetElementType()!;
        }
        var element = type.GetInterfaces().Append(type)
            .FirstOrDefault(one => one.IsGenericType && one.GetGenericTypeDefinition() == definition)?.GetGenericArguments()[0] ?? typeof(object);
        return last == 0 || !element.IsGenericType ? element : element.GetGenericArguments()[last];
    }
}
