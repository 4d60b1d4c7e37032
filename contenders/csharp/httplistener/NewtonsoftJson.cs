using System;
using System.IO;
using System.Text;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Serialization;

sealed class Credentials
{
    [JsonConverter(typeof(OnlyStrings))]
    public string Password { get; set; }
}

// Without it a number would be taken for the string of its digits.
sealed class OnlyStrings : JsonConverter
{
    public override bool CanConvert(Type type)
    {
        return type == typeof(string);
    }

    public override object ReadJson(JsonReader reader, Type type, object existing, JsonSerializer serializer)
    {
        if (reader.TokenType != JsonToken.String && reader.TokenType != JsonToken.Null)
        {
            throw new JsonSerializationException($"a string is wanted, this is a {reader.TokenType}");
        }
        return reader.Value;
    }

    public override void WriteJson(JsonWriter writer, object value, JsonSerializer serializer)
    {
        writer.WriteValue((string)value);
    }
}

static class Json
{
    static readonly JsonSerializerSettings settings = new JsonSerializerSettings
    {
        ContractResolver = new CamelCasePropertyNamesContractResolver(),
        // A password may look like a date.
        DateParseHandling = DateParseHandling.None
    };

    public static async Task<T> ReadAsync<T>(Stream stream)
    {
        using (var reader = new StreamReader(stream))
        {
            return JsonConvert.DeserializeObject<T>(await reader.ReadToEndAsync(), settings);
        }
    }

    public static byte[] Write<T>(T value)
    {
        // The resolver would put names that an attribute gives in lower case, too.
        return Encoding.UTF8.GetBytes(JsonConvert.SerializeObject(value));
    }
}
