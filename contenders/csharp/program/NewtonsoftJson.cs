using System.Collections.Generic;
using System.IO;
using Newtonsoft.Json;
using Newtonsoft.Json.Serialization;

static class Users
{
    static readonly JsonSerializerSettings settings = new JsonSerializerSettings
    {
        ContractResolver = new CamelCasePropertyNamesContractResolver()
    };

    public static List<User> Read(string path)
    {
        return JsonConvert.DeserializeObject<List<User>>(File.ReadAllText(path), settings);
    }
}
