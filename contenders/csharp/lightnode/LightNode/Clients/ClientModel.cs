using System.Text.Json;

namespace LightNode;

/// <summary>What a client does with an answer.</summary>
enum ResultKind
{
    None,
    Json,
    Text,
    Bytes,
}

/// <summary>An operation as a client calls it.</summary>
sealed record ClientOperation(OperationInfo Info, AcceptVerbs Verb, ResultKind Result, TypeModel? ResultModel)
{
    public IEnumerable<OperationParameter> Parameters =>
        Info.Parameters.Where(parameter => parameter.Source != ParameterSource.Server);

    public IEnumerable<OperationParameter> Values => Info.Parameters.Where(parameter => parameter.Source == ParameterSource.Value);

    /// <summary>Whether the values stand in the query, and not in a form.</summary>
    public bool UsesQuery => Verb == AcceptVerbs.Get || Info.Body is not null;
}

/// <summary>Operations by contract, with the types that they use.</summary>
sealed class ClientModel
{
    public ClientModel(IReadOnlyList<OperationInfo> operations, LightNodeOptions options)
    {
        if (!options.Formatters.OfType<JsonContentFormatter>().Any())
        {
            throw new InvalidOperationException("clients speak JSON, but no JsonContentFormatter is among the formatters; add one");
        }
        Types = new TypeModels(options);
        Contracts = operations
            .Where(operation => !operation.Attributes.Any(attribute => attribute is IgnoreClientGenerateAttribute))
            .Select(Of)
            .GroupBy(operation => operation.Info.ContractName)
            .ToArray();
        foreach (var parameter in Contracts.SelectMany(contract => contract).SelectMany(operation => operation.Parameters))
        {
            Types.Of(parameter.Element ?? parameter.Type);
        }
    }

    public TypeModels Types { get; }

    public IReadOnlyList<IGrouping<string, ClientOperation>> Contracts { get; }

    /// <summary>A name with a small first letter, as in JSON and in TypeScript.</summary>
    public static string Camel(string name) => JsonNamingPolicy.CamelCase.ConvertName(name);

    ClientOperation Of(OperationInfo operation)
    {
        var verb = Verbs.Each(operation.Verbs).First();
        var result = operation switch
        {
            { ResultType: null } => ResultKind.None,
            { Formatter: null or JsonContentFormatter } => ResultKind.Json,
            { Formatter.MediaType: var type } when type.StartsWith("text/", StringComparison.Ordinal) => ResultKind.Text,
            _ => ResultKind.Bytes,
        };
        return new ClientOperation(operation, verb, result, result == ResultKind.Json ? Types.Of(operation.ResultType!) : null);
    }
}
