using System.Linq.Expressions;
using System.Reflection;

namespace LightNode;

/// <summary>Makes delegates of an operation, so that a request needs no reflection.</summary>
sealed class OperationCompiler(Operation operation, LightNodeServer server)
{
    readonly ParameterExpression context = Expression.Parameter(typeof(HttpContext), "context");
    readonly ParameterExpression formatter = Expression.Parameter(typeof(FormatterEntry), "formatter");
    readonly ParameterExpression arguments = Expression.Parameter(typeof(Arguments), "arguments");
    readonly ParameterExpression coordinator = Expression.Parameter(typeof(OperationCoordinator), "coordinator");

    OperationInfo Info => operation.Info;

    /// <summary>Binds and calls, with the values in variables of their own types.</summary>
    public Handler Direct() => Bound(values => Answered(values));

    /// <summary>Binds, and leaves the call to what stands around it.</summary>
    public Handler Watched() => Bound(values => Expression.Call(
        Expression.Constant(server),
        Of(typeof(LightNodeServer), nameof(LightNodeServer.Watched)),
        Expression.Constant(operation),
        context,
        formatter,
        coordinator,
        Expression.NewArrayInit(typeof(object), values.Select(value => Expression.Convert(value, typeof(object))))));

    /// <summary>The call alone, with values from an array.</summary>
    public Call Call()
    {
        var parameters = Expression.Parameter(typeof(object[]), "parameters");
        var values = Info.Parameters.Select((parameter, place) =>
            Expression.Convert(Expression.ArrayIndex(parameters, Expression.Constant(place)), parameter.Type));
        return Expression.Lambda<Call>(Answered(values), context, formatter, parameters).Compile();
    }

    Handler Bound(Func<IReadOnlyList<Expression>, Expression> then)
    {
        var end = Expression.Label(typeof(Task));
        var values = Info.Parameters.Select(parameter => Expression.Variable(parameter.Type, parameter.Name)).ToArray();
        var body = new List<Expression>();
        for (var place = 0; place < values.Length; place++)
        {
            var refused = Expression.Return(end, Expression.Call(
                Expression.Constant(server),
                Of(typeof(LightNodeServer), nameof(LightNodeServer.RefuseBinding)),
                Expression.Constant(operation),
                context,
                coordinator,
                arguments,
                Expression.Constant(place)));
            body.Add(Info.Parameters[place].Source == ParameterSource.Server
                ? Expression.Assign(values[place], Expression.Property(context, nameof(HttpContext.RequestAborted)))
                : Expression.IfThen(Expression.Not(Binding(place, values[place])), refused));
        }
        body.Add(Expression.Call(arguments, nameof(Arguments.Return), null));
        body.Add(Expression.Label(end, then(values)));
        return Expression
            .Lambda<Handler>(Expression.Block(values, body), context, formatter, arguments, coordinator)
            .Compile();
    }

    /// <summary>A call of <see cref="Bind"/> that tells whether the value is there and can be read.</summary>
    Expression Binding(int place, Expression value)
    {
        var parameter = Info.Parameters[place];
        Expression Of(string name, Type? type, params Expression[] more) => Expression.Call(
            typeof(Bind),
            name,
            type is null ? null : [type],
            [arguments, .. parameter.Source == ParameterSource.Body ? [] : new[] { Expression.Constant(place) }, .. more, value]);
        Expression fallback = parameter.HasDefault ? Expression.Constant(parameter.Default, parameter.Type) : Expression.Default(parameter.Type);
        return parameter switch
        {
            { Source: ParameterSource.Body } => Of(nameof(Bind.Body), parameter.Type),
            { Element: { } element } => Of(nameof(Bind.Array), element),
            { Underlying: { } underlying } => Of(nameof(Bind.Nullable), underlying, fallback),
            { Type: var type } when type == typeof(string) => parameter.IsRequired
                ? Of(nameof(Bind.Text), null)
                : Of(nameof(Bind.OptionalText), null, fallback),
            { HasDefault: true } => Of(nameof(Bind.Optional), parameter.Type, fallback),
            _ => Of(nameof(Bind.Required), parameter.Type),
        };
    }

    /// <summary>A new contract, its method, and the answer by the shape of what that returns.</summary>
    Expression Answered(IEnumerable<Expression> values)
    {
        var contract = Expression.MemberInit(
            Expression.New(Info.ContractType),
            Expression.Bind(typeof(LightNodeContract).GetProperty(nameof(LightNodeContract.Context))!, context));
        var call = Expression.Call(contract, Info.Method, values);
        var type = Info.Method.ReturnType;
        if (type == typeof(void))
        {
            return Expression.Block(call, Expression.Call(typeof(Answer), nameof(Answer.Nothing), null, context));
        }
        if (Info.ResultType is null)
        {
            var name = type == typeof(Task) ? nameof(Answer.NothingAfterTask) : nameof(Answer.NothingAfterValueTask);
            return Expression.Call(typeof(Answer), name, null, context, call);
        }
        var write = type == Info.ResultType ? nameof(Answer.Value)
            : type.GetGenericTypeDefinition() == typeof(Task<>) ? nameof(Answer.AfterTask)
            : nameof(Answer.AfterValueTask);
        return Expression.Call(Expression.Constant(server.Answer), write, [Info.ResultType], context, formatter, call);
    }

    static MethodInfo Of(Type type, string method) =>
        type.GetMethod(method, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)!;
}
