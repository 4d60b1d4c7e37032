using System.Collections.Generic;
using System.IO;
using System.Text.Json;

static class Users
{
    static readonly JsonSerializerOptions options = new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase
    };

    public static List<User> Read(string path)
    {
        return JsonSerializer.Deserialize<List<User>>(File.ReadAllText(path), options);
    }
}
