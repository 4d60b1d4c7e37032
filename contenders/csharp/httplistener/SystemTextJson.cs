using System.IO;
using System.Text.Json;
using System.Threading.Tasks;

sealed class Credentials
{
    public string Password { get; set; }
}

static class Json
{
    static readonly JsonSerializerOptions options = new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase
    };

    public static async Task<T> ReadAsync<T>(Stream stream)
    {
        return await JsonSerializer.DeserializeAsync<T>(stream, options);
    }

    public static byte[] Write<T>(T value)
    {
        return JsonSerializer.SerializeToUtf8Bytes(value, options);
    }
}
